//! Portuguese.

use super::{Acts, Language, Role};

/// The words of Portuguese.
pub(in crate::session) static PORTUGUESE: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "mostre mostra leia ler procure procurar encontre liste listar verifique veja resuma explique compare",
        ),
        (
            Acts::CHANGE,
            "alteracoes mudancas modifique modificar aplique crie criar adicione adicionar altere alterar mude mudar escreva escrever edite editar atualize atualizar mova \
             mover renomeie substitua salve corrija corrigir agende agendar ponha copie",
        ),
        (
            Acts::DELETE,
            "apague apagar exclua excluir delete deletar remova remover cancele cancelar pare parar encerre destrua limpe \
             limpar descarte",
        ),
        (
            Acts::SEND,
            "envie enviar mande mandar responda responder encaminhe avise informe notifique poste escreva",
        ),
        (Acts::SHARE, "compartilhe compartilhar convide convidar conceda autorize permita"),
        (
            Acts::PAY,
            "pague pagar compre comprar transfira transferir peca reserve reservar reembolse doe",
        ),
        (
            Acts::PUBLISH,
            "publique publicar suba subir implante implantar mescle push merge lance faca",
        ),
        (
            Acts::RUN,
            "execute executar rode rodar inicie iniciar instale instalar teste testar compile",
        ),
        (
            Acts::ADMINISTER,
            "senha ative ativar desative desativar bloqueie desbloqueie redefina permissoes conta configuracoes",
        ),
        (Acts::COMMIT, "commit commitar"),
    ],
    roles: &[
        (Role::Please, "favor"),
        (Role::Anything, "nada"),
        (Role::Not, "nao nunca jamais sem nenhum nenhuma nada"),
        (Role::Forget, "esqueca esquecer"),
        (Role::Only, "somente apenas unicamente so"),
        (Role::Ask, "perguntar pergunte confirmacao permissao aprovacao consultar"),
        (Role::Touch, "toque tocar mexa mexer altere alterar mude mudar modifique modificar edite"),
        (Role::Demand, "deve precisa agora voce"),
        (Role::And, "e depois mas tambem ou"),
    ],
};
