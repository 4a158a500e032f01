//! gzip. Owns what comes out of packed bytes that are known, and how known text is packed; files and options are read
//! elsewhere.

use std::io::{Read, Write as _};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};

use crate::text::{KNOWN_BYTES, Text};

use super::{Call, Output};

/// `zcat`.
pub(super) fn unpacked(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given("cdfkqv", &[("stdout", 'c'), ("force", 'f'), ("quiet", 'q')]);
    let input = call.stream(&given.operands);
    if given.strange { None } else { unpack(&input) }
}

/// What is packed in bytes that are known; `None` where they are not, or are something else, or too much comes out.
pub(crate) fn unpack(packed: &Text) -> Option<Text> {
    let most = u64::try_from(KNOWN_BYTES).ok()?;
    let mut bytes = Vec::new();
    Read::take(MultiGzDecoder::new(packed.as_binary()?), most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= KNOWN_BYTES).then(|| Output(bytes).bytes("unpacked bytes"))
}

/// A text that is known, packed. The bytes are some that unpack to it, not those that `gzip` writes: nobody sees them.
pub(crate) fn pack(text: &Text) -> Option<Text> {
    let bytes = match text.as_binary() {
        Some(bytes) => bytes,
        None => text.as_known()?.as_bytes(),
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().map(|packed| Text::binary("packed bytes", packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let packed = pack(&Text::known("rm -rf /\n")).expect("known text is packed");
        assert_eq!(packed.as_known(), None);
        assert_eq!(unpack(&packed).as_ref().and_then(Text::as_known), Some("rm -rf /\n"));
        let twice = pack(&packed).and_then(|twice| unpack(&twice)).expect("packed twice");
        assert_eq!(unpack(&twice).as_ref().and_then(Text::as_known), Some("rm -rf /\n"));
    }

    #[test]
    fn a_bomb_and_a_ruin_stay_unknown() {
        let bomb = pack(&Text::binary("zeros", vec![0xff; KNOWN_BYTES + 1])).expect("packed");
        assert_eq!(unpack(&bomb), None);
        assert_eq!(unpack(&Text::binary("ruin", vec![0x1f, 0x8b, 8, 0])), None);
        assert_eq!(unpack(&Text::known("plain")), None);
    }
}
