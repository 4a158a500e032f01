//! Encrypted connections. Owns whose signature counts; the name on the certificate must be the one that was asked for, whatever
//! address it led to.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use portcullis_core::network::Target;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Whose signature counts.
#[derive(Clone, Debug, Default)]
pub enum Roots {
    /// Those that the system trusts.
    #[default]
    System,
    /// Those of a text in PEM.
    Pem(Vec<u8>),
}

/// Why no encrypted connection came about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The system trusts nobody.
    #[error("no certificate authority is trusted on this machine")]
    NoRoots,
    /// What was given is no certificate.
    #[error("the certificates to trust cannot be read: {0}")]
    BadRoots(String),
    /// The settings contradict each other.
    #[error(transparent)]
    Settings(#[from] rustls::Error),
    /// The host cannot stand on a certificate.
    #[error("no certificate can name this host")]
    NoName,
    /// The handshake failed.
    #[error(transparent)]
    Handshake(#[from] io::Error),
}

/// Makes encrypted connections. The certificates that are trusted are read with the first of them.
#[derive(Debug, Default)]
pub(crate) struct Tls {
    roots: Roots,
    config: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    pub(crate) fn new(roots: Roots) -> Self {
        Self { roots, config: OnceLock::new() }
    }

    pub(crate) async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        target: &Target,
        stream: S,
    ) -> Result<TlsStream<S>, TlsError> {
        let config = match self.config.get() {
            Some(config) => Arc::clone(config),
            None => {
                let made = Arc::new(self.make()?);
                Arc::clone(self.config.get_or_init(|| made))
            }
        };
        let name = target.host().into_owned();
        let name = ServerName::try_from(name).map_err(|_| TlsError::NoName)?;
        Ok(TlsConnector::from(config).connect(name, stream).await?)
    }

    fn make(&self) -> Result<ClientConfig, TlsError> {
        let mut config = client_config(&self.roots)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// How a connection is encrypted to whom a certificate names that one of these signed.
///
/// # Errors
/// [`TlsError`], but for handshakes and names.
pub fn client_config(roots: &Roots) -> Result<ClientConfig, TlsError> {
    let mut trusted = RootCertStore::empty();
    match roots {
        Roots::System => {
            let found = rustls_native_certs::load_native_certs();
            trusted.add_parsable_certificates(found.certs);
        }
        Roots::Pem(text) => {
            for certificate in CertificateDer::pem_slice_iter(text) {
                let bad = |error: &dyn std::fmt::Display| TlsError::BadRoots(error.to_string());
                let certificate = certificate.map_err(|error| bad(&error))?;
                trusted.add(certificate).map_err(|error| bad(&error))?;
            }
        }
    }
    if trusted.is_empty() {
        return Err(TlsError::NoRoots);
    }
    let provider = Arc::new(ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth())
}

/// How a connection is encrypted to whoever answers: nobody reads along, and nobody knows who it is. For those who ask for just that.
///
/// # Errors
/// As [`client_config`].
pub fn client_config_for_anybody() -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let anybody = Arc::new(Anybody(Arc::clone(&provider)));
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(anybody)
        .with_no_client_auth())
}

/// Takes every certificate whose key the other side has.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
