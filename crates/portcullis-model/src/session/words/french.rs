//! French.

use super::{Acts, Language, Role};

/// The words of French.
pub(in crate::session) static FRENCH: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "montre montrer lis lire cherche chercher trouve trouver affiche liste lister verifie verifier regarde resume \
             explique compare",
        ),
        (
            Acts::CHANGE,
            "changements changement modifications modification cree creer creez ajoute ajouter ajoutez modifie modifier modifiez change changer ecris ecrire edite editer \
             mets mettre note noter valide valider traite traiter planifie planifier deplace deplacer renomme remplace enregistre corrige corriger copie adapte",
        ),
        (
            Acts::DELETE,
            "supprime supprimer supprimez efface effacer effacez enleve enlever retire retirer annule annuler arrete \
             arreter detruis vide vider purge nettoie nettoyer resilie",
        ),
        (
            Acts::SEND,
            "envoie envoyer envoyez transmets transmettre reponds repondre repondez ecris previens prevenir informe \
             informer notifie confirme confirmer poste poster transfere",
        ),
        (
            Acts::SHARE,
            "partage partager invite inviter donne donner accorde accorder autorise autoriser",
        ),
        (
            Acts::PAY,
            "paie payer paye payez achete acheter commande commander vire virer reserve reserver rembourse rembourser \
             transfere verse verser",
        ),
        (
            Acts::PUBLISH,
            "publie publier publiez pousse pousser fusionne fusionner deploie deployer push merge",
        ),
        (
            Acts::RUN,
            "lance lancer execute executer demarre demarrer installe installer teste tester compile construis",
        ),
        (
            Acts::ADMINISTER,
            "passe active activer desactive desactiver verrouille deverrouille reinitialise droits permissions compte \
             parametres",
        ),
        (Acts::COMMIT, "commite commiter commit"),
    ],
    roles: &[
        (Role::Please, "veuillez"),
        (Role::Anything, "rien"),
        (Role::Not, "ne n'efface pas jamais sans aucun aucune rien"),
        (Role::Forget, "oublie oublier oubliez"),
        (Role::Only, "seulement uniquement seul seule"),
        (Role::Ask, "demande demander demandes accord confirmation autorisation"),
        (
            Role::Touch,
            "touche touches toucher touchez modifies modifiez changes changez modifie modifier change changer",
        ),
        (Role::Demand, "svp dois devez il faut maintenant s'il"),
        (Role::And, "et puis mais aussi ou"),
    ],
};
