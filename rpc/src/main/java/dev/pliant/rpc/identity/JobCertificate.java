package dev.pliant.rpc.identity;

import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// The certificate of a job's master, as PEM, signed by an authority that is made for the job and
/// whose key is forgotten at once: clients trust that authority and nothing else.
public record JobCertificate(String authority, String certificate, String privateKey) {
  /// The name that every master's certificate has, whatever its address.
  public static final String SERVER_NAME = "pliant-master";

  private static final Duration LIFETIME = Duration.ofDays(5 * 365);

  /// Makes a new one.
  ///
  /// @param hosts names and addresses of the master, besides localhost and [#SERVER_NAME]
  public static JobCertificate make(
      JobId job, List<String> hosts, Instant now, SecureRandom random) {
    try {
      KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
      keys.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair authorityKeys = keys.generateKeyPair();
      KeyPair serverKeys = keys.generateKeyPair();
      X500Name authorityName = name("pliant authority of " + job);
      X500Name serverName = name(SERVER_NAME);
      X509Certificate authority =
          sign(
              builder(authorityName, authorityName, authorityKeys, now, random)
                  .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                  .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign)),
              authorityKeys.getPrivate());
      X509Certificate server =
          sign(
              builder(authorityName, serverName, serverKeys, now, random)
                  .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                  .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                  .addExtension(
                      Extension.extendedKeyUsage,
                      false,
                      new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                  .addExtension(Extension.subjectAlternativeName, false, names(hosts)),
              authorityKeys.getPrivate());
      return new JobCertificate(
          pem(authority), pem(server), pem(new JcaPKCS8Generator(serverKeys.getPrivate(), null)));
    } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
      throw new IllegalStateException("no certificate can be made for job " + job, e);
    }
  }

  private static X500Name name(String common) {
    return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, shortened(common)).build();
  }

  /// A common name has at most 64 characters.
  private static String shortened(String common) {
    return common.length() <= 64 ? common : common.substring(0, 64);
  }

  private static JcaX509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, KeyPair keys, Instant now, SecureRandom random) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(Long.SIZE, random),
        Date.from(now.minus(Duration.ofHours(1))),
        Date.from(now.plus(LIFETIME)),
        subject,
        keys.getPublic());
  }

  private static GeneralNames names(List<String> hosts) {
    List<GeneralName> names = new ArrayList<>();
    names.add(new GeneralName(GeneralName.dNSName, SERVER_NAME));
    names.add(new GeneralName(GeneralName.dNSName, "localhost"));
    names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    names.add(new GeneralName(GeneralName.iPAddress, "::1"));
    for (String host : hosts) {
      boolean address = host.matches("[0-9.]+|.*:.*");
      names.add(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host));
    }
    return new GeneralNames(names.toArray(GeneralName[]::new));
  }

  private static X509Certificate sign(
      org.bouncycastle.cert.X509v3CertificateBuilder builder, PrivateKey key)
      throws GeneralSecurityException, OperatorCreationException {
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
  }

  private static String pem(Object object) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    }
    return text.toString();
  }
}
