//! Any address has a range, and what is public carries nothing that is not. Any text is an entry of the policy or refused in words.

#![no_main]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use libfuzzer_sys::fuzz_target;
use portcullis_core::network::{
    Kind, NetworkOptions, NetworkPolicy, carried, classify, operator_nat64,
};

fuzz_target!(|bytes: &[u8]| {
    if let Some(four) = bytes.first_chunk::<4>() {
        let class = classify(IpAddr::V4(Ipv4Addr::from(*four)));
        assert_eq!(class.is_public(), class.range.kind == Kind::Public);
    }
    if let Some(six) = bytes.first_chunk::<16>() {
        let six = Ipv6Addr::from(*six);
        let class = classify(IpAddr::V6(six));
        assert!(!class.to_string().is_empty());
        if class.is_public() {
            let inside = carried(six).map(|(_, four)| classify(IpAddr::V4(four)));
            assert!(inside.is_none_or(|inside| inside.is_public()), "{six} is public");
            assert!(six.segments()[0] >> 13 == 1 || six.segments()[..2] == [0x64, 0xff9b], "{six}");
        }
        for length in [32, 40, 48, 56, 64, 96] {
            if let Some(class) = operator_nat64(IpAddr::V6(six), &[(six, length)]) {
                let (_, four, _) = class.carries.expect("a translated address carries one");
                assert_eq!(class.is_public(), classify(IpAddr::V4(four)).is_public());
            }
        }
    }
    let entry = String::from_utf8_lossy(bytes).into_owned();
    let options =
        NetworkOptions { extra_blocked_hosts: vec![entry.clone()], ..NetworkOptions::default() };
    if let Err(bad) = NetworkPolicy::new(options) {
        assert!(bad.to_string().contains(&entry) && bad.index == 0);
    }
});
