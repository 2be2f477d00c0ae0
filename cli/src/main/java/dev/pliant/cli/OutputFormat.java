package dev.pliant.cli;

/// How data is printed. The names are what users write after `-o`.
enum OutputFormat {
  text,
  json
}
