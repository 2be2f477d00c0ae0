package dev.pliant.cli;

/// How a list of things is printed. The names are what users write after `-o`.
enum ListFormat {
  text,
  wide,
  name,
  json,
  yaml
}
