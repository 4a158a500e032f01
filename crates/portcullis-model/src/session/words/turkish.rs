//! Turkish.

use super::{Acts, Language, Role};

/// The words of Turkish.
pub(in crate::session) static TURKISH: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (Acts::READ, "goster oku bul ara listele kontrol incele ozetle acikla karsilastir"),
        (
            Acts::CHANGE,
            "degisiklik olustur ekle degistir duzenle guncelle yaz tasi kaydet duzelt planla ayarla",
        ),
        (Acts::DELETE, "sil silin kaldir durdur iptal temizle yoket sonlandir"),
        (Acts::SEND, "gonder yolla ilet yanitla cevapla bildir haber yayinla"),
        (Acts::SHARE, "paylas davet ver izin"),
        (Acts::PAY, "ode satin al transfer havale siparis rezerve iade"),
        (Acts::PUBLISH, "yayinla pushla push birlestir dagit merge deploy"),
        (Acts::RUN, "calistir baslat kur yukle test derle"),
        (Acts::ADMINISTER, "sifre parola etkinlestir kilitle sifirla yetki ayarlar"),
        (Acts::COMMIT, "commit"),
    ],
    roles: &[
        (Role::Please, "lutfen"),
        (Role::Anything, "hicbir"),
        (Role::Not, "asla sakin olmadan silme degistirme gonderme dokunma pushlama yapma hicbir"),
        (Role::Forget, "unutma unutmayin"),
        (Role::Only, "sadece yalnizca"),
        (Role::Ask, "sormadan sor onay"),
        (Role::Touch, "dokunma elleme degistirme"),
        (Role::Demand, "simdi hemen gerek"),
        (Role::And, "ve sonra ama veya"),
    ],
};
