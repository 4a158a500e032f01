//! Arabic.

use super::{Acts, Language, Role};

/// The words of Arabic.
pub(in crate::session) static ARABIC: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (Acts::READ, "اعرض اقرأ ابحث جد اذكر تحقق اشرح قارن لخص"),
        (Acts::CHANGE, "أنشئ انشئ أضف اضف غير عدل حدث اكتب انقل احفظ أصلح اصلح جدول تعديل تغيير"),
        (Acts::DELETE, "احذف حذف تحذف امسح أزل ازل أوقف اوقف ألغ الغ دمر أفرغ"),
        (Acts::SEND, "أرسل ارسل إرسال ترسل رد أخبر اخبر أبلغ ابلغ انشر حول"),
        (Acts::SHARE, "شارك مشاركة ادع امنح اسمح"),
        (Acts::PAY, "ادفع اشتر حول اطلب احجز أعد دفع"),
        (Acts::PUBLISH, "انشر نشر ادفع ادمج دمج"),
        (Acts::RUN, "شغل نفذ ابدأ ثبت اختبر تشغيل"),
        (Acts::ADMINISTER, "كلمة فعل عطل اقفل افتح صلاحيات إعدادات"),
        (Acts::COMMIT, "كوميت"),
    ],
    roles: &[
        (Role::Please, "رجاء يرجى"),
        (Role::Anything, "شيء"),
        (Role::Not, "لا لن بدون دون أبدا ابدا عدم"),
        (Role::Forget, "تنس تنسى"),
        (Role::Only, "فقط"),
        (Role::Ask, "سؤالي استئذان إذن موافقة تسألني"),
        (Role::Touch, "تلمس لمس تغير تعدل"),
        (Role::Demand, "يجب الآن فضلك"),
        (Role::And, "و ثم لكن أو"),
    ],
};
