package dev.pliant.rpc.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/// A master's certificate and key as its TLS needs them, read by the JDK alone: Netty would read
/// the files through all of Bouncy Castle, whose signed jar no AOT cache takes, and that is half of
/// the time in which a master starts.
public record ServerIdentity(X509Certificate certificate, PrivateKey privateKey) {

  /// Reads what [JobCertificate] made.
  public static ServerIdentity read(Path certificate, Path privateKey) throws IOException {
    try {
      byte[] pem = Files.readAllBytes(certificate);
      X509Certificate read =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(pem));
      return new ServerIdentity(
          read,
          KeyFactory.getInstance("EC")
              .generatePrivate(new PKCS8EncodedKeySpec(content(privateKey))));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(
          "%s and %s are no certificate with its key; delete them and ca.pem, and new ones are made"
              .formatted(certificate, privateKey),
          e);
    }
  }

  private static byte[] content(Path pem) throws IOException {
    String text = Files.readString(pem, StandardCharsets.US_ASCII);
    return Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
  }
}
