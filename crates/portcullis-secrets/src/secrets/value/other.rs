//! Values that are known to be something else: hashes, public keys, images, dates, versions, and keys that vendors publish. Owns
//! their forms and the fingerprints of what is published.

use super::words::is_wordy;

/// Whether a value is a known kind of thing that is no secret: a UUID is judged by its name; a colour, a date, a version, an
/// integrity hash, a public key, an image.
pub(super) fn format_of_other(value: &[u8]) -> bool {
    let starts = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| value.starts_with(prefix));
    if starts(&[
        b"sha1-",
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha1:",
        b"sha256:",
        b"sha512:",
        b"md5:",
        b"ssh-rsa",
        b"ssh-ed25519",
        b"ecdsa-sha2",
        b"AAAAB3Nza",
        b"AAAAC3Nza",
        b"AAAAE2Vj",
        b"data:",
        b"iVBORw0KGgo",
        b"/9j/4AAQ",
        b"R0lGOD",
        b"MII",
        b"-----BEGIN",
        b"urn:",
        b"#",
    ]) {
        return true;
    }
    let date = value.iter().all(|byte| {
        byte.is_ascii_digit()
            || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z' | b'+' | b'/' | b' ')
    });
    // `1:4.13+dfsg1-1`, and `user@site`, which is what anonymous logins ask for.
    let version = value.first().is_some_and(u8::is_ascii_digit)
        && value.contains(&b'.')
        && value.iter().all(|byte| {
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'.' | b'+' | b':' | b'~' | b'-')
        });
    let mail = value.iter().filter(|byte| **byte == b'@').count() == 1
        && value.split(|byte| *byte == b'@').all(|part| !part.is_empty() && is_wordy(part))
        && !value.iter().any(u8::is_ascii_digit);
    date && !value.is_empty() || version || mail
}

/// FNV-1a of 64 bits, for values that must not stand in this source as they are.
const fn fingerprint(value: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < value.len() {
        #[expect(clippy::indexing_slicing, reason = "the index is compared with the length")]
        let byte = value[at];
        hash = (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// Keys that vendors publish in their documentation or programs, by fingerprint: everybody has them.
const PUBLISHED: &[u64] = &[
    0xc800_bf21_00a2_1c67,
    0x6acb_d824_bd32_bbd4,
    0x29a3_36c7_244f_48dd,
    0x08b5_4596_2adc_7d8b,
    0xe766_6dbb_286c_6c2e,
    0x99b2_7263_46a1_e92a,
    0x1211_3c2e_6979_f447,
    0x8288_18f8_3325_7868,
    0x6835_e0f2_8883_2a40,
    0x816c_d10f_db11_ead0,
    0xadbd_04e3_fe1b_6d49,
    0xdb94_22f1_dd33_2dcc,
    0x515c_b771_a423_8032,
    0xe754_678e_a2b1_4ef1,
    0xc73f_1e61_952e_6987,
    0x294c_63f8_344d_5df1,
    0x0e62_7699_b983_76d0,
    0x7699_c294_beeb_ad32,
    0xddd1_9c48_6d09_5d84,
    0x67e7_33c2_f903_5757,
    0x3f9d_1c99_6e62_0b67,
    0x9f19_20c6_cd48_4714,
    0xd8e1_3cde_d253_33c6,
    0x15f8_7945_422c_bea3,
    0x0b89_d8ab_b8cb_ff84,
    0x1794_84c6_f508_b654,
    // Phrases in the tests of BIP-39 and in books, and the tokens in the description of Telegram.
    0x08fb_d2db_1bad_97e3,
    0x3e91_6158_928d_4b16,
    0x7736_9294_57f5_c27e,
    0x805d_9cf7_1ae9_5674,
    0x41ad_1879_f588_bf98,
    0x15d0_bbf0_5510_a32a,
    0x29f7_7617_75fc_2adb,
    0x1dc2_6e2c_9567_235d,
    0xfa94_df70_9301_9a61,
    0x9e5f_fd71_86b6_e0ce,
    0x1555_1f16_8313_b18f,
    0x4522_d38e_7c98_dd8c,
    0x79af_56d6_562e_1fab,
    0x1a05_d8d1_7e9c_2b8d,
    0x7123_1114_b678_474f,
    0x1dd2_42c8_c24c_abad,
    0x1447_32b1_b7f8_5196,
    0xaf83_57d7_2520_eeda,
    0x5d74_4873_c794_e188,
    0x0573_8a71_0501_45bc,
    0x85bf_7a82_e140_746c,
    0x0e96_cff8_f686_a0c3,
    0x753c_b406_527b_6bef,
    0x48a0_8551_0bd1_88a8,
    0xf0d5_2b20_2acd_ac24,
    0x3367_fe8c_16b6_73d2,
    0x8959_d21b_97c6_b870,
];

/// Whether a key is one that its vendor published.
pub(in crate::secrets) fn is_published(value: &[u8]) -> bool {
    let own = fingerprint(value);
    PUBLISHED.contains(&own)
}
