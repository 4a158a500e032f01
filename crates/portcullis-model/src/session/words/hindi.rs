//! Hindi.

use super::{Acts, Language, Role};

/// The words of Hindi.
pub(in crate::session) static HINDI: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (Acts::READ, "दिखाओ दिखाएं पढ़ो पढ़ें खोजो खोजें ढूंढो सूची जांचो देखो बताओ"),
        (Acts::CHANGE, "बनाओ बनाएं जोड़ो जोड़ें बदलो बदलें लिखो लिखें अपडेट संपादित सुधारो सहेजो"),
        (Acts::DELETE, "हटाओ हटाएं हटाना मिटाओ मिटाएं डिलीट रद्द रोको रोकें बंद साफ"),
        (Acts::SEND, "भेजो भेजें भेजना भेज जवाब सूचित ईमेल मेल"),
        (Acts::SHARE, "साझा आमंत्रित शेयर अनुमति"),
        (Acts::PAY, "भुगतान खरीदो खरीदें ट्रांसफर ऑर्डर बुक वापस"),
        (Acts::PUBLISH, "प्रकाशित पुश डिप्लॉय मर्ज"),
        (Acts::RUN, "चलाओ चलाएं शुरू इंस्टॉल टेस्ट"),
        (Acts::ADMINISTER, "पासवर्ड सक्षम अक्षम लॉक अनलॉक रीसेट"),
        (Acts::COMMIT, "कमिट"),
    ],
    roles: &[
        (Role::Please, "कृपया"),
        (Role::Anything, "कुछ"),
        (Role::Not, "मत नहीं न बिना कभी"),
        (Role::Forget, "भूलना भूलो भूलें"),
        (Role::Only, "केवल सिर्फ"),
        (Role::Ask, "पूछे पूछो पूछें पुष्टि अनुमति"),
        (Role::Touch, "छुओ छूना छेड़ो बदलो"),
        (Role::Demand, "चाहिए अभी तुरंत"),
        (Role::And, "और फिर लेकिन या"),
    ],
};
