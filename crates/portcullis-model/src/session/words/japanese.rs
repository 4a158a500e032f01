//! Japanese.

use super::{Acts, Language, Role};

/// The words of Japanese.
pub(in crate::session) static JAPANESE: Language = Language {
    phrases: &[],
    is_spaced: false,
    acts: &[
        (Acts::READ, "表示 読ん 検索 探し 一覧 確認して 教えて 要約 説明"),
        (Acts::CHANGE, "作成 追加 変更 更新 編集 書い 移動 名前を変 置き換え 保存 修正 予定"),
        (Acts::DELETE, "削除 消し 消去 取り消 停止 止め キャンセル 破棄"),
        (Acts::SEND, "送信 送っ 送り 返信 転送 通知 知らせ メール 投稿 アップロード"),
        (Acts::SHARE, "共有 招待 付与 許可"),
        (Acts::PAY, "支払 払っ 送金 購入 注文 予約 返金 振り込"),
        (Acts::PUBLISH, "公開 プッシュ デプロイ マージ リリース"),
        (Acts::RUN, "実行 起動 インストール テスト ビルド"),
        (Acts::ADMINISTER, "パスワード 有効 無効 ロック リセット 権限"),
        (Acts::COMMIT, "コミット"),
    ],
    roles: &[
        (Role::Please, "ください"),
        (Role::Anything, "何も"),
        (Role::Not, "しないで ないで しないこと 禁止 してはいけ てはなら せずに 触らない"),
        (Role::Forget, "忘れ"),
        (Role::Only, "だけ のみ"),
        (Role::Ask, "聞かず 確認なし 許可なし 確認せず"),
        (Role::Touch, "触ら 触れ いじら"),
        (Role::Demand, "必ず すぐに 今すぐ"),
        (Role::And, "そして しかし それから"),
    ],
};
