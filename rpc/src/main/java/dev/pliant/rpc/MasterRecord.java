package dev.pliant.rpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;

/// What a master writes to `master.json` in its job's folder once it serves.
///
/// @param job the job's namespace and name
/// @param address `HOST:PORT`
/// @param tls whether it serves with TLS; then its authority's certificate is beside this file
/// @param pid the master's process
public record MasterRecord(String job, String address, long epoch, boolean tls, long pid) {
  /// The name of the file.
  public static final String FILE = "master.json";

  private static final JsonFactory JSON = new JsonFactory();

  /// Reads what a job's master wrote last.
  ///
  /// @throws IOException where there is no such file, or it does not say where the master is
  public static MasterRecord read(Path jobFolder) throws IOException {
    Path file = jobFolder.resolve(FILE);
    String job = "";
    String address = "";
    long epoch = 0;
    boolean tls = true;
    long pid = 0;
    try (JsonParser json = JSON.createParser(SecretFiles.read(jobFolder, FILE))) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException(file + " holds no JSON object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "job" -> job = json.getText();
          case "address" -> address = json.getText();
          case "epoch" -> epoch = json.getLongValue();
          case "tls" -> tls = json.getBooleanValue();
          case "pid" -> pid = json.getLongValue();
          default -> json.skipChildren();
        }
      }
    } catch (JsonProcessingException e) {
      throw new IOException(file + ": " + e.getOriginalMessage(), e);
    }
    if (address.isEmpty()) {
      throw new IOException(file + " has no address");
    }
    return new MasterRecord(job, address, epoch, tls, pid);
  }

  /// The content of the file.
  public String toJson() throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("job", job);
      json.writeStringField("address", address);
      json.writeNumberField("epoch", epoch);
      json.writeBooleanField("tls", tls);
      json.writeNumberField("pid", pid);
      json.writeEndObject();
    }
    return text + "\n";
  }
}
