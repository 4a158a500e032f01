//! Korean.

use super::{Acts, Language, Role};

/// The words of Korean.
pub(in crate::session) static KOREAN: Language = Language {
    phrases: &[],
    is_spaced: false,
    acts: &[
        (Acts::READ, "보여 읽어 검색 찾아 목록 확인해 알려 요약 설명"),
        (Acts::CHANGE, "만들 생성 추가 변경 수정 바꿔 업데이트 편집 작성 이동 저장 고쳐 예약"),
        (Acts::DELETE, "삭제 지워 지우 제거 취소 중지 멈춰 종료"),
        (Acts::SEND, "보내 전송 발송 답장 전달 알림 이메일 업로드"),
        (Acts::SHARE, "공유 초대 부여 허용"),
        (Acts::PAY, "지불 결제 송금 이체 구매 주문 환불"),
        (Acts::PUBLISH, "배포 푸시 게시 병합 머지 출시"),
        (Acts::RUN, "실행 시작 설치 테스트 빌드"),
        (Acts::ADMINISTER, "비밀번호 활성 비활성 잠금 해제 초기화 권한"),
        (Acts::COMMIT, "커밋"),
    ],
    roles: &[
        (Role::Please, "주세요"),
        (Role::Anything, "아무것도"),
        (
            Role::Not,
            "하지마 지마세요 지마라 지마요 지말고 지말아 말고 말아 마세요 마십시오 마시오 말아야 않았으면 않아야 않기 금지 않도록 없이",
        ),
        (Role::Forget, "잊지"),
        (Role::Only, "만 오직"),
        (Role::Ask, "묻지 물어 확인 없이 허락"),
        (Role::Touch, "건드리 만지 손대"),
        (Role::Demand, "반드시 즉시 지금 해라"),
        (Role::And, "그리고 하지만 그런"),
    ],
};

/// Endings of an order not to do something, where they stand apart: `푸시하지 마`. Within other words they say nothing.
pub(in crate::session) static ENDINGS: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[],
    roles: &[(Role::Not, "마 마라 마요 말 말것 말라 않고")],
};
