//! Packed answers. Owns which packings are read and that unpacking ends: no answer becomes longer than was asked for.

use std::io::{self, Write};

use flate2::write::{GzDecoder, ZlibDecoder};

use crate::failure::Failure;

/// What a body goes into while it comes in.
pub(crate) enum Inflater {
    Plain(Bounded),
    Gzip(Box<GzDecoder<Bounded>>),
    Zlib(Box<ZlibDecoder<Bounded>>),
}

impl Inflater {
    /// For what a server says it packed a body with; a list of packings is not read.
    pub(crate) fn new(encoding: &str, most: u64) -> Result<Self, Failure> {
        let bounded = Bounded { bytes: Vec::new(), most, is_full: false };
        match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Plain(bounded)),
            "gzip" | "x-gzip" => Ok(Self::Gzip(Box::new(GzDecoder::new(bounded)))),
            "deflate" => Ok(Self::Zlib(Box::new(ZlibDecoder::new(bounded)))),
            _ => Err(Failure::Encoding(encoding.chars().take(40).collect())),
        }
    }

    /// More of the body; gives what is known of it by that.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<&[u8], Failure> {
        let before = self.bounded().bytes.len();
        let written = match self {
            Self::Plain(to) => to.write_all(bytes),
            Self::Gzip(to) => to.write_all(bytes),
            Self::Zlib(to) => to.write_all(bytes),
        };
        let bounded = self.bounded();
        match written {
            Err(_) if bounded.is_full => Err(Failure::TooLong(bounded.most)),
            Err(error) => Err(Failure::Unpacking(error)),
            Ok(()) => Ok(bounded.bytes.get(before..).unwrap_or_default()),
        }
    }

    /// The whole body.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, Failure> {
        // What is left in the decoder may still be too much.
        let flushed = match &mut self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(to) => to.try_finish(),
            Self::Zlib(to) => to.try_finish(),
        };
        let bounded = self.bounded();
        if let Err(error) = flushed {
            let full = bounded.is_full;
            return Err(if full {
                Failure::TooLong(bounded.most)
            } else {
                Failure::Unpacking(error)
            });
        }
        match self {
            Self::Plain(bounded) => Ok(bounded.bytes),
            Self::Gzip(decoder) => {
                decoder.finish().map(|bounded| bounded.bytes).map_err(Failure::Unpacking)
            }
            Self::Zlib(decoder) => {
                decoder.finish().map(|bounded| bounded.bytes).map_err(Failure::Unpacking)
            }
        }
    }

    fn bounded(&self) -> &Bounded {
        match self {
            Self::Plain(bounded) => bounded,
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zlib(decoder) => decoder.get_ref(),
        }
    }
}

/// Bytes up to a limit.
pub(crate) struct Bounded {
    bytes: Vec<u8>,
    most: u64,
    is_full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length =
            u64::try_from(self.bytes.len().saturating_add(bytes.len())).unwrap_or(u64::MAX);
        if length > self.most {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn unpacked(encoding: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>, Failure> {
        let mut inflater = Inflater::new(encoding, most)?;
        for part in bytes.chunks(100) {
            inflater.push(part)?;
        }
        inflater.finish()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_read_up_to_the_limit() {
        let text = vec![b'x'; 100_000];
        let packed = gzip(&text);
        assert!(packed.len() < 1_000);
        assert_eq!(unpacked("gzip", &packed, 100_000).unwrap(), text);
        assert!(matches!(unpacked("gzip", &packed, 99_999), Err(Failure::TooLong(99_999))));
        assert!(matches!(unpacked("", &text, 5), Err(Failure::TooLong(5))));
        assert_eq!(unpacked("identity", b"x", 5).unwrap(), b"x");
    }

    #[test]
    fn what_is_not_what_it_says_is_refused() {
        let packed = gzip(b"hello");
        assert!(matches!(
            unpacked("gzip", b"hello, this is not packed", 99),
            Err(Failure::Unpacking(_))
        ));
        assert!(matches!(
            unpacked("gzip", &packed[..packed.len() - 4], 99),
            Err(Failure::Unpacking(_))
        ));
        assert!(matches!(unpacked("br", b"", 99), Err(Failure::Encoding(_))));
        assert!(matches!(unpacked("gzip, gzip", b"", 99), Err(Failure::Encoding(_))));
    }
}
