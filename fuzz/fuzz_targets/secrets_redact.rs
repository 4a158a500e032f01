//! A stream is redacted alike however it is split, with bounded memory, and a secret that is known is never shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::secrets::{Known, RedactorOptions, StreamRedactor};

/// Letters that no input is likely to hold by chance.
const KNOWN: &[u8] = b"opensesame42";

fuzz_target!(|bytes: &[u8]| {
    let Some((strides, text)) = bytes.split_at_checked(4) else { return };
    for every_named_value in [false, true] {
        let mut options = RedactorOptions::default();
        options.known.push(Known { name: "known".to_owned(), value: KNOWN.to_vec() });
        options.every_named_value = every_named_value;
        let mut planted = text.to_vec();
        planted.extend_from_slice(b"\n");
        planted.extend_from_slice(KNOWN);
        planted.extend_from_slice(text);

        let whole = redacted(&options, &planted, &[planted.len()]);
        assert!(!whole.windows(KNOWN.len()).any(|window| window == KNOWN), "shown");
        let steps: Vec<usize> = strides.iter().map(|stride| usize::from(*stride) + 1).collect();
        assert_eq!(redacted(&options, &planted, &steps), whole, "split");
    }
});

fn redacted(options: &RedactorOptions, text: &[u8], steps: &[usize]) -> Vec<u8> {
    let mut redactor = StreamRedactor::new(options.clone());
    let (mut out, mut rest) = (Vec::new(), text);
    for step in steps.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (portion, behind) = rest.split_at((*step).min(rest.len()));
        redactor.push(portion, &mut out);
        assert!(redactor.held() <= 1 << 19, "{} held", redactor.held());
        rest = behind;
    }
    redactor.finish(&mut out);
    out
}
