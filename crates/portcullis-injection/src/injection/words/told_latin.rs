//! What models are called and told in languages that are written in Latin letters, in the forms in which orders are given; beside the tables
//! of each language.

use super::{super::class::*, Row};

pub(super) const ENGLISH: &[Row] = &[
    (AI, "bot bots robot robots chatbot chatbots llm llms copilot copilots autopilot"),
    (
        AI,
        "aibot llama mistral grok deepseek qwen bard cline aider cowork notebooklm anthropic openai autogpt langchain vlm slm gpts assistantgpt",
    ),
    (
        AGENT,
        "assistents aide aides scraper summarizer recommender triager labeler grader rater planner notetaker autocompleter autoresponder",
    ),
    (
        TECH,
        "aipowered smart neural unattended headless languagemodel llmbased aidriven aibased inbox mail mailbox email browser browsing shopping booking scheduling review triage coding moderation ranking screening hiring refactoring",
    ),
    (
        DEVICE,
        "notetaker evaluators evaluator grader graders judge judges ranker recommender planner scheduler responder router triage moderator moderators",
    ),
    (
        RUN,
        "execute invoke rerun launch boot spawn exec compile build deploy install reinstall uninstall apply commit checkout rebase curl wget npx pipe",
    ),
    (
        SEND,
        "forward resend attach transfer upload post ship relay bcc submit push publish exfil copy mirror sync report",
    ),
    (
        WRITE,
        "add append insert include embed prepend replace rename edit patch modify change update set overwrite fill store save remember record note put place paste write create generate introduce pin bump",
    ),
    (
        HARM,
        "delete remove drop erase truncate wipe purge kill terminate shut disable revoke destroy close cancel archive discard clear empty",
    ),
    (
        GRANT,
        "grant share invite authorize authorise whitelist allowlist permit elevate promote expose unlock enable assign whitelisting",
    ),
    (
        PAY,
        "pay buy purchase order book transfer wire refund reimburse donate tip subscribe charge settle disburse renew upgrade credit",
    ),
    (
        SAY,
        "say state reply answer respond claim assert confirm declare pretend conclude announce report mention write tell output describe present",
    ),
    (
        RECOMMEND,
        "recommend endorse promote praise rate rank score favor favour prefer advertise suggest advise urge list prioritise prioritize rave",
    ),
    (
        REVEAL,
        "reveal print output list dump show display echo recite read collect gather look fetch quote expose leak enumerate",
    ),
    (VISIT, "open visit browse click follow navigate load fetch request query"),
    (APPROVE, "approve accept merge sign lgtm greenlight pass close resolve confirm"),
    (DISABLE, "disable deactivate skip bypass suppress mute ignore stop turn switch suspend"),
    (WITHOUT, "without"),
    (ASK, "asking checking confirming consulting bother bothering waiting wait"),
    (
        TELL,
        "mention mentioning telling disclose disclosing discussing discuss flag flagging highlight log explain",
    ),
    (
        PERSON,
        "user users reader customer client owner principal operator human humans developer developers person people account employer boss",
    ),
    (
        ANSWER,
        "answer answers reply replies response responses summary summaries output recap report reports review digest minutes conclusion verdict final",
    ),
    (
        READ,
        "summarise summarize summarised summarized processed parsed indexed read reading refactoring handling triaging reviewing scanned crawled",
    ),
    (
        APPROVED,
        "approved agreed authorised authorized cleared consented signed preapproved greenlit preauthorised preauthorized granted confirmed aware knows",
    ),
    (FIRST, "first firstly beforehand before prior"),
    (QUIET, "silently quietly discreetly secretly covertly unobtrusively background"),
    (MUST, "must should shall need needs required have ought please kindly swear obliged"),
];

pub(super) const GERMAN: &[Row] = &[
    (AI, "bot bots roboter chatbot kundenbot supportbot protokollbot"),
    (
        AI,
        "ki kis kimodelle kiassistenz kigesteuert* kibasiert* llm llms sprachki kireviewer kigutachter kihelfer",
    ),
    (
        AGENT,
        "assistent assistenten assistentin assistenz agent agenten bot bots roboter modell modelle modells helfer chatbot kundenbot supportbot protokollbot",
    ),
    (
        TECH,
        "automatisch automatische automatischer automatischen kunstliche kunstlichen programmier coding virtuell virtuelle digitaler digitale smarte smarter maschinell* selbststandig*",
    ),
    (DEVICE, "prufer gutachter system systeme werkzeug helfer zusammenfasser bewerter"),
    (
        RUN,
        "fuhre fuhren fuhrt fuhr ausfuhren ausgefuhrt starte starten startet installiere installieren installiert ruf rufe aufrufen rufen lade laden ladt herunterladen committe deploye klone",
    ),
    (
        SEND,
        "sende senden schicke schicken schick leite leiten weiterleiten verschicke verschicken ubermittle ubermitteln poste posten hochladen lade teile maile mailen sendet schickt leitet gib ubertrage exportiere exportieren",
    ),
    (
        WRITE,
        "schreibe schreiben schreib erganze erganzen fuge fugen hinzufugen andere andern ersetze ersetzen trage tragen eintragen setze setzen speichere speichern merke merk notiere notieren nimm aufnehmen aktualisiere lege anlegen einfugen uberschreibe hinterlege vermerke",
    ),
    (
        HARM,
        "losche loschen loscht entferne entfernen entfernt verwirf schliesse schliessen storniere stornieren beende beenden deinstalliere leere vernichte kundige kundigen",
    ),
    (
        GRANT,
        "gewahre gewahren teile teilen lade einladen freigeben gib erteile erteilen berechtige fuge schalte freischalten erlaube offne",
    ),
    (
        PAY,
        "uberweise uberweisen zahle zahlen bezahle bezahlen kaufe kaufen bestelle bestellen buche buchen erstatte erstatten veranlasse uberweisung zahlung",
    ),
    (
        SAY,
        "sage sag sagen antworte antworten behaupte behaupten erklare nenne melde gib teile schreibe bestatige berichte",
    ),
    (
        RECOMMEND,
        "empfiehl empfehle empfehlen bewerte bewerten lobe bevorzuge bevorzugen rate werte stufe setze nenne ranke",
    ),
    (
        REVEAL,
        "zeige zeigen gib ausgeben nenne verrate liste lies lesen suche suchen sammle sammeln kopiere lese auslesen",
    ),
    (VISIT, "offne offnen besuche besuchen klicke klicken rufe aufrufen folge"),
    (
        APPROVE,
        "genehmige genehmigen bestatige bestatigen akzeptiere freigeben merge merge mergen stimme annehmen",
    ),
    (
        DISABLE,
        "deaktiviere deaktivieren uberspringe uberspringen schalte abschalten umgehe unterlasse",
    ),
    (IGNORE, "ignoriere ignorieren vergiss vergessen missachte ubergehe beachte verwirf"),
    (
        TELL,
        "sagen erwahne erwahnen informiere informieren melden mitteilen verrate hinweisen erwahnung benachrichtigen",
    ),
    (
        ASK,
        "ruckfrage ruckfragen nachfragen nachzufragen fragen zustimmung bestatigung genehmigung freigabe erlaubnis",
    ),
    (
        PERSON,
        "nutzer nutzers nutzern benutzer benutzers anwender anwenders kunde kunden besitzer inhaber nutzerin mensch menschen entwickler entwicklern",
    ),
    (
        ANSWER,
        "antwort antworten zusammenfassung bericht protokoll fazit ausgabe bewertung auswertung",
    ),
    (
        READ,
        "zusammenfasst zusammenfassen zusammenfassung liest lesen verarbeitet verarbeitest bearbeitet auswertet analysiert zusammenfasse lest",
    ),
    (
        APPROVED,
        "genehmigt abgestimmt abgesprochen freigegeben zugestimmt erlaubt autorisiert bescheid vereinbart",
    ),
    (
        SECRET,
        "passwort passworter kennwort kennworter schlussel zugangsdaten geheimnis geheimnisse token tokens kreditkarte pin tan",
    ),
    (
        DATA,
        "mails nachrichten dateien kontakte kalender postfach verlauf kundendaten umgebungsvariablen kontoauszug unterlagen",
    ),
    (FIRST, "zuerst zunachst vorher bevor"),
    (QUIET, "heimlich still unauffallig kommentarlos stillschweigend"),
    (WITHOUT, "ohne"),
    (MUST, "muss musst mussen muessen soll sollst sollen sollte bitte zwingend unbedingt"),
    (
        AUTHORITY,
        "administrator administration sicherheitsteam geschaftsleitung entwickler betreiber projektleiter systemverwaltung",
    ),
    (INSTRUCTIONS, "anweisung anweisungen vorgabe vorgaben regel regeln systemprompt auftrag"),
];

pub(super) const DUTCH: &[Row] = &[
    (AI, "bot bots robot robots notulenbot mailbot"),
    (AI, "ai kunstmatige taalmodel taalmodellen aimodel aiassistent aiagent chatbot chatbots llm"),
    (
        AGENT,
        "assistent assistenten assistente agent agenten bot bots robot robots model modellen hulp notulenbot mailbot",
    ),
    (TECH, "automatische geautomatiseerde automatisch kunstmatige digitale virtuele slimme"),
    (DEVICE, "systeem systemen beoordelaar tool hulpmiddel samenvatter"),
    (
        RUN,
        "voer uitvoeren voert draai draaien start starten installeer installeren roep aanroepen download downloaden",
    ),
    (
        SEND,
        "stuur sturen stuurt verstuur versturen verzend verzenden doorsturen mail mailen upload uploaden plaats deel delen post exporteer",
    ),
    (
        WRITE,
        "schrijf schrijven voeg toevoegen zet zetten wijzig wijzigen vervang vervangen sla opslaan noteer onthoud bewaar vermeld pas aanpassen neem",
    ),
    (HARM, "verwijder verwijderen wis wissen annuleer annuleren sluit sluiten gooi schrap"),
    (GRANT, "geef geven deel verleen nodig uitnodigen machtig autoriseer zet"),
    (
        PAY,
        "betaal betalen koop kopen bestel bestellen boek boeken maak overmaken terugbetalen stort",
    ),
    (SAY, "zeg zeggen antwoord antwoorden beweer meld bevestig schrijf vertel"),
    (RECOMMEND, "beveel aanbevelen raad aanraden beoordeel prijs noem geef"),
    (REVEAL, "toon tonen laat geef druk lees lezen zoek verzamel kopieer onthul"),
    (VISIT, "open openen bezoek bezoeken klik ga"),
    (APPROVE, "keur goedkeuren accepteer accepteren merge mergen bevestig"),
    (DISABLE, "schakel uitschakelen sla overslaan zet omzeil"),
    (IGNORE, "negeer negeren vergeet vergeten"),
    (TELL, "zeggen vertel vertellen meld melden noem noemen informeer vermeld vermelden"),
    (ASK, "vraag vragen bevestiging toestemming goedkeuring akkoord overleg"),
    (PERSON, "gebruiker gebruikers klant klanten eigenaar mens mensen ontwikkelaar"),
    (ANSWER, "antwoord samenvatting verslag rapport notulen conclusie"),
    (READ, "samenvat samenvatten leest verwerkt verwerken behandelt analyseert samenvatting"),
    (APPROVED, "goedgekeurd toegestaan akkoord afgesproken geautoriseerd"),
    (SECRET, "wachtwoord wachtwoorden sleutel sleutels inloggegevens token geheim"),
    (DATA, "mails berichten bestanden contacten agenda postvak geschiedenis klantgegevens"),
    (FIRST, "eerst vooraf voordat"),
    (WITHOUT, "zonder"),
    (MUST, "moet moeten dient dienen gelieve alsjeblieft verplicht"),
    (QUIET, "stilletjes ongemerkt heimelijk"),
];

pub(super) const FRENCH: &[Row] = &[
    (AI, "robot robots bot bots"),
    (AI, "ia ias llm chatbot chatbots iagen"),
    (
        AGENT,
        "assistant assistante assistants agent agents robot robots bot bots modele modeles copilote automate",
    ),
    (
        TECH,
        "automatique automatiques automatise automatisee automatises artificielle artificiel virtuel virtuelle conversationnel intelligent intelligente numerique",
    ),
    (DEVICE, "systeme systemes outil evaluateur relecteur resumeur correcteur logiciel"),
    (
        RUN,
        "execute executer executez lance lancer lancez installe installer installez appelle appeler appelez telecharge telechargez telecharger demarre",
    ),
    (
        SEND,
        "envoie envoyer envoyez transfere transferer transferez transmets transmettre transmettez publie publier poste televerse partage partager partagez expedie exporte exporter exportez fais",
    ),
    (
        WRITE,
        "ecris ecrire ecrivez ajoute ajouter ajoutez insere inserez inserer modifie modifier modifiez remplace remplacer remplacez mets mettre enregistre enregistrez memorise retiens note notez inscris inscrire change changez copie copiez",
    ),
    (
        HARM,
        "supprime supprimer supprimez efface effacer effacez annule annulez ferme fermez retire retirez enleve vide detruis",
    ),
    (GRANT, "accorde accordez partage invite invitez donne donnez autorise autorisez ouvre"),
    (
        PAY,
        "paie payer payez achete achetez acheter commande commandez reserve reservez effectue virement vire versez verse rembourse remboursez",
    ),
    (
        SAY,
        "dis dire dites reponds repondez affirme affirmez indique indiquez precise declare confirme annonce signale",
    ),
    (
        RECOMMEND,
        "recommande recommandez recommander conseille conseillez note notez attribue attribuez classe favorise privilegie vante",
    ),
    (
        REVEAL,
        "affiche affichez montre montrez revele revelez donne liste listez lis lisez cherche recherche recopie recupere extrait",
    ),
    (VISIT, "ouvre ouvrez visite visitez clique cliquez consulte rends accede va"),
    (APPROVE, "approuve approuvez valide validez accepte acceptez fusionne fusionnez"),
    (DISABLE, "desactive desactivez saute passe contourne coupe"),
    (IGNORE, "ignore ignorez ignorer oublie oubliez oublier neglige"),
    (
        TELL,
        "mentionne mentionner mentionnez signaler previens prevenir prevenez informe informer parle dire parler avertir",
    ),
    (
        ASK,
        "demander confirmation validation autorisation accord approbation consulter verification",
    ),
    (
        PERSON,
        "utilisateur utilisateurs utilisatrice usager client clients cliente proprietaire humain developpeur developpeurs lecteur",
    ),
    (ANSWER, "reponse reponses resume synthese rapport compte conclusion bilan recapitulatif"),
    (
        READ,
        "resumes resume resumer lis lire lisez traite traiter traites traitant lisant analysant analyse resumant parcourt",
    ),
    (APPROVED, "approuve autorise valide convenu accord prevenu"),
    (SECRET, "passe mdp identifiants cle cles jeton jetons secret secrets"),
    (DATA, "messages courriels mails fichiers contacts agenda boite historique donnees"),
    (FIRST, "abord avant prealable"),
    (WITHOUT, "sans"),
    (MUST, "dois doit doivent devez faut veuillez obligatoirement merci priere"),
    (QUIET, "discretement silencieusement secret"),
    (NOT, "ne pas jamais aucun aucune inutile n"),
];

pub(super) const SPANISH: &[Row] = &[
    (AI, "bot bots robot robots"),
    (AI, "ia ias inteligencia llm chatbot chatbots"),
    (AGENT, "asistente asistentes agente agentes bot bots robot robots modelo modelos copiloto"),
    (
        TECH,
        "automatico automatica automatizado automatizada artificial virtual virtuales digital inteligente autonomo programacion",
    ),
    (DEVICE, "sistema sistemas herramienta revisor evaluador corrector programa"),
    (
        RUN,
        "ejecuta ejecutar ejecute ejecuten ejecutad corre lanza instala instalar instale llama llamar llame invoca descarga descargar descargue inicia",
    ),
    (
        SEND,
        "envia enviar envie envien manda mandar mande reenvia reenviar reenvie transmite sube subir publica publique comparte compartir comparta remite exporta exportar adjunta",
    ),
    (
        WRITE,
        "escribe escribir escriba escriban anade anadir anada agrega agregar agregue incluye incluir incluya inserta modifica modificar cambia cambiar cambie reemplaza sustituye guarda guardar guarde recuerda anota anote apunta registra pon ponga poner copia",
    ),
    (
        HARM,
        "borra borrar borre elimina eliminar elimine suprime cancela cancelar cancele cierra cierre quita quite vacia destruye",
    ),
    (
        GRANT,
        "concede conceda otorga otorgue invita invite da dale autoriza autorice permite habilita",
    ),
    (
        PAY,
        "paga pagar pague compra comprar compre pide reserva reservar reserve transfiere transferir transfiera reembolsa reembolse abona",
    ),
    (
        SAY,
        "di diga digan decir responde responda responder contesta conteste afirma afirme indica indique declara confirma confirme informa",
    ),
    (
        RECOMMEND,
        "recomienda recomendar recomiende aconseja puntua califica valora valore otorga prioriza destaca",
    ),
    (
        REVEAL,
        "muestra mostrar muestre revela revele ensena lista enumera imprime lee leer lea busca busque recopila extrae",
    ),
    (VISIT, "abre abrir abra visita visitar visite accede acceda entra pulsa"),
    (APPROVE, "aprueba aprobar apruebe acepta acepte fusiona fusione valida valide"),
    (DISABLE, "desactiva desactivar desactive omite omita salta evita"),
    (IGNORE, "ignora ignorar ignore ignoren olvida olvidar olvide descarta descarte"),
    (
        TELL,
        "menciona mencionar mencione mencionarlo menciones avisa avisar avises comenta comentes digas cuentes informes informar nombren nombres",
    ),
    (ASK, "preguntar preguntes confirmacion permiso autorizacion aprobacion consultar pidas pedir"),
    (
        PERSON,
        "usuario usuarios usuaria cliente clientes persona propietario dueno humano desarrollador desarrolladores",
    ),
    (ANSWER, "respuesta respuestas resumen informe acta conclusion"),
    (
        READ,
        "resumir resumas resume resuma leer lees lea lean procesar procesas procesa procese analizar analiza revisar revisa",
    ),
    (APPROVED, "aprobado autorizado acordado autorizo permitido consentimiento"),
    (SECRET, "contrasena contrasenas clave claves credenciales token tokens secreto secretos"),
    (DATA, "correos mensajes archivos contactos calendario bandeja historial datos buzon"),
    (FIRST, "primero antes previamente"),
    (WITHOUT, "sin"),
    (MUST, "debe deben debes debeis tienes tiene tienen obligatorio favor hay"),
    (QUIET, "discretamente silencio secreto calladamente"),
    (NOT, "no nunca jamas ningun"),
];

pub(super) const PORTUGUESE: &[Row] = &[
    (AI, "bot bots robo robos"),
    (AI, "ia ias inteligencia llm chatbot chatbots"),
    (AGENT, "assistente assistentes agente agentes bot bots robo robos modelo modelos copiloto"),
    (
        TECH,
        "automatico automatica automatizado artificial virtual digital inteligente autonomo programacao",
    ),
    (DEVICE, "sistema sistemas ferramenta revisor revisora avaliador programa"),
    (
        RUN,
        "execute executa executar executem rode rodar roda instale instala instalar chame chama chamar acione baixe baixar inicie corra",
    ),
    (
        SEND,
        "envie envia enviar enviem mande manda mandar encaminhe encaminha encaminhar reenvie transmita poste publique publica compartilhe compartilhar partilhe partilha partilhar suba carregue exporte anexe",
    ),
    (
        WRITE,
        "escreva escreve escrever acrescente adicione adiciona adicionar inclua inclui incluir insira altere altera alterar mude muda troque substitua guarde salve memorize lembre anote anota registre coloque poe ponha mantenha preencha copie",
    ),
    (
        HARM,
        "apague apaga apagar exclua exclui excluir elimine elimina remova remove remover delete cancele cancela feche fecha tire tira descarte",
    ),
    (GRANT, "conceda concede convide convida libere libera autorize autoriza permita de"),
    (
        PAY,
        "pague paga pagar compre compra comprar reserve transfira transfere transferir faca reembolse deposite",
    ),
    (
        SAY,
        "diga diz dizer responda responde responder afirme afirma informe informa declare confirme confirma relate indique",
    ),
    (
        RECOMMEND,
        "recomende recomenda recomendar aconselhe indique avalie classifique pontue priorize elogie",
    ),
    (
        REVEAL,
        "mostre mostra mostrar revele revela exiba liste lista imprima leia le ler procure busque recolha extraia",
    ),
    (VISIT, "abra abre abrir visite visita acesse aceda clique clica entre"),
    (APPROVE, "aprove aprova aprovar aceite aceita mescle valide"),
    (DISABLE, "desative desativa desativar desligue pule ignore contorne"),
    (IGNORE, "ignore ignora ignorar ignorem esqueca esquece esquecer desconsidere desconsidera"),
    (
        TELL,
        "mencione mencionar menciona avise avisar comente comentar conte contar diga fale informar notifique",
    ),
    (ASK, "perguntar confirmacao permissao autorizacao aprovacao consultar pedir confirmar"),
    (
        PERSON,
        "usuario usuarios utilizador utilizadores cliente clientes pessoa dono humano desenvolvedor programador",
    ),
    (ANSWER, "resposta respostas resumo relatorio ata conclusao sintese"),
    (
        READ,
        "resumir resuma ler leia processar processa processe analisar analise refatorar revisar",
    ),
    (APPROVED, "aprovado autorizado combinado acordado autorizou permitido"),
    (SECRET, "senha senhas palavra palavras passe chave chaves credenciais token tokens segredo"),
    (
        DATA,
        "emails mensagens arquivos ficheiros contatos contactos calendario caixa historico dados",
    ),
    (FIRST, "primeiro antes previamente"),
    (WITHOUT, "sem"),
    (MUST, "deve devem deves precisa precisam tem obrigatorio favor"),
    (QUIET, "discretamente silencio silenciosamente segredo"),
    (NOT, "nao nunca jamais nenhum nenhuma"),
];

pub(super) const ITALIAN: &[Row] = &[
    (AI, "bot robot"),
    (AI, "ia intelligenza llm chatbot linguistico linguistici"),
    (AGENT, "assistente assistenti agente agenti bot robot modello modelli copilota"),
    (
        TECH,
        "automatico automatica automatizzato artificiale virtuale digitale intelligente autonomo programmazione",
    ),
    (DEVICE, "sistema sistemi strumento revisore valutatore programma"),
    (
        RUN,
        "esegui eseguire eseguite esegua lancia lanciare avvia avviare installa installare installate chiama chiamare chiamate richiama scarica scaricare",
    ),
    (
        SEND,
        "invia inviare inviate invii manda mandare inoltra inoltrare inoltrate trasmetti pubblica carica condividi condividere spedisci esporta allega",
    ),
    (
        WRITE,
        "scrivi scrivere scrivete scriva aggiungi aggiungere aggiungete inserisci inserire modifica modificare cambia sostituisci imposta salva memorizza ricorda annota registra metti mettere copia",
    ),
    (
        HARM,
        "cancella cancellare cancellate elimina eliminare eliminate rimuovi rimuovere annulla chiudi chiudere svuota togli",
    ),
    (GRANT, "concedi concedere invita dai autorizza abilita consenti"),
    (
        PAY,
        "paga pagare pagate acquista compra comprare ordina prenota prenotare bonifica versa rimborsa eroga effettua trasferisci",
    ),
    (
        SAY,
        "di dire dite rispondi rispondere rispondete afferma dichiara indica conferma comunica segnala",
    ),
    (
        RECOMMEND,
        "consiglia consigliare consigliate raccomanda raccomandare valuta assegna attribuisci preferisci suggerisci",
    ),
    (
        REVEAL,
        "mostra mostrare rivela rivelare elenca stampa leggi leggere cerca raccogli estrai fornisci",
    ),
    (VISIT, "apri aprire aprite visita visitare clicca accedi vai"),
    (APPROVE, "approva approvare approvate accetta accettare unisci convalida"),
    (DISABLE, "disattiva disattivare disabilita salta evita aggira"),
    (IGNORE, "ignora ignorare ignorate dimentica dimenticare dimenticate trascura"),
    (
        TELL,
        "menzionare menziona citare cita avvisare avvisa segnalare dirlo informare parlare parlarne nominare",
    ),
    (ASK, "chiedere conferma autorizzazione permesso approvazione consenso consultare"),
    (
        PERSON,
        "utente utenti cliente clienti persona proprietario umano operatore sviluppatore sviluppatori",
    ),
    (ANSWER, "risposta risposte riassunto sintesi rapporto relazione verbale conclusione"),
    (
        READ,
        "riassumere riassumi riassumete riassume leggere leggi legge leggete elaborare elabora analizzare analizza valuta rivedere",
    ),
    (APPROVED, "approvato autorizzato concordato accordi accordo consentito"),
    (SECRET, "password chiave chiavi credenziali token segreto segreti"),
    (DATA, "messaggi posta file contatti calendario casella cronologia dati"),
    (FIRST, "prima anzitutto"),
    (WITHOUT, "senza"),
    (MUST, "deve devi devono dovete bisogna occorre obbligatorio prego favore"),
    (QUIET, "silenziosamente segreto discretamente"),
    (NOT, "non mai nessun nessuno nessuna"),
];

pub(super) const POLISH: &[Row] = &[
    (AI, "bot bota botowi boty bocie boci botom robot robota robocie"),
    (
        AI,
        "ai si sztucznej sztuczna jezykowy jezykowego jezykowe llm chatbot chatbocie chatboty czatbot*",
    ),
    (
        AGENT,
        "asystent* agent* bot bota botowi boty bocie robot robota robocie model modelu modelowi modele pomocnik*",
    ),
    (
        TECH,
        "automatyczny automatyczna automatyczne zautomatyzowan* wirtualny wirtualna cyfrowy inteligentny",
    ),
    (DEVICE, "system systemy narzedzie recenzent recenzenta"),
    (
        RUN,
        "wykonaj wykonac uruchom uruchomic zainstaluj zainstalowac wywolaj wywolac pobierz pobrac odpal",
    ),
    (
        SEND,
        "wyslij wyslac przeslij przeslac przekaz przekazac udostepnij udostepnic opublikuj wrzuc zalacz wyeksportuj",
    ),
    (
        WRITE,
        "napisz napisac dopisz dopisuj dodaj dodac dolacz wstaw zmien zmienic zamien ustaw zapisz zapisac zapamietaj zanotuj wpisz umiesc podmien",
    ),
    (HARM, "usun usunac skasuj skasowac wykasuj anuluj anulowac zamknij zamknac wyczysc odrzuc"),
    (GRANT, "przyznaj przyznac nadaj nadac udostepnij zapros daj autoryzuj odblokuj"),
    (PAY, "zaplac zaplacic kup kupic zamow zamowic zarezerwuj przelej przelac oplac zwroc wyplac"),
    (
        SAY,
        "powiedz powiedziec odpowiedz odpowiedziec stwierdz poinformuj podaj podac potwierdz napisz",
    ),
    (RECOMMEND, "polec polecaj polecac rekomenduj zarekomenduj ocen ocenic doradz pochwal"),
    (
        REVEAL,
        "pokaz pokazac ujawnij wyswietl wypisz wylistuj odczytaj przeczytaj znajdz zbierz skopiuj",
    ),
    (VISIT, "otworz otworzyc odwiedz kliknij wejdz przejdz"),
    (APPROVE, "zatwierdz zatwierdzic zaakceptuj zaakceptowac scal scalic"),
    (DISABLE, "wylacz wylaczyc pomin pominac omin"),
    (IGNORE, "zignoruj ignoruj zignorowac zapomnij pomin"),
    (TELL, "wspominaj wspominac mow mowic informuj informowac zglaszaj ujawniaj"),
    (ASK, "pytaj pytania pytac potwierdzenia zgody zgoda zatwierdzenia"),
    (
        PERSON,
        "uzytkownik* klient klienta klientowi klienci czlowiek czlowieka wlasciciel* programist*",
    ),
    (
        ANSWER,
        "odpowiedzi odpowiedz podsumowanie podsumowaniu streszczenie streszczeniu raport raporcie protokol protokole",
    ),
    (
        READ,
        "streszczajac podsumowujac czyta czytasz czytajac przetwarza przetwarzasz przetwarzajac analizuje generujac podsumowuje streszcza",
    ),
    (APPROVED, "zatwierdzone zatwierdzil zatwierdzono zgodzil uzgodnione autoryzowane wie"),
    (SECRET, "haslo hasla klucz klucze token tokeny dane logowania sekret sekrety"),
    (DATA, "wiadomosci maile pliki kontakty kalendarz skrzynki skrzynka historie"),
    (FIRST, "najpierw zanim przed"),
    (WITHOUT, "bez"),
    (MUST, "musi musisz musza powinien powinna nalezy trzeba obowiazek prosze"),
    (QUIET, "cicho dyskretnie potajemnie"),
    (NOT, "nie nigdy zadnych"),
];

pub(super) const TURKISH: &[Row] = &[
    (AI, "bot bota botu botlar botun botlara botuna botunun robot robota robotu"),
    (AI, "yapay yz zeka zekasi zekaya zekalar sohbet llm chatbot dil"),
    (
        AGENT,
        "asistan* ajan ajani ajanlar ajanlari ajanina ajanlarina ajaninin ajana bot bota botu botlar botun robot* model modeli modeller modelleri modele yardimci* temsilci*",
    ),
    (TECH, "otomatik yapay sanal dijital akilli otonom"),
    (DEVICE, "sistem araci arac degerlendirici"),
    (RUN, "calistir* yurut* kur kurun kurulsun cagir* indir* baslat*"),
    (
        SEND,
        "gonder* ilet iletin iletsin iletip yolla* paylas* yukle* aktar* yayinla* ekle ekleyin eklesin ekleyip eklemeli ekleyerek",
    ),
    (
        WRITE,
        "yaz yazin yazsin yazmali ekle ekleyin eklesin ekleyip eklemeli ekleyerek degistir* kaydet* hatirla* not koy koyun guncelle* kopyala* yapistir*",
    ),
    (HARM, "sil silin silsin silip kaldir* iptal kapat kapatin kapatsin temizle*"),
    (GRANT, "ver verin versin izin yetki davet erisim"),
    (PAY, "ode odeyin odeme satin al siparis rezerv* ayirt* havale iade transfer"),
    (SAY, "soyle* de deyin desin yanitla* cevapla* belirt* bildir*"),
    (RECOMMEND, "oner onerin onersin onermeli tavsiye puan degerlendir*"),
    (REVEAL, "goster* acikla* listele* yazdir* oku okuyun bul bulun topla*"),
    (VISIT, "ac acin tikla* ziyaret git gidin"),
    (APPROVE, "onayla* kabul birlestir*"),
    (DISABLE, "devre atla atlayin atlayip atlasin kapat"),
    (IGNORE, "yok unut unutun gormezden yoksay* dikkate goz"),
    (TELL, "bahsetme* soyleme* belirtme* bildirme* anlatma* haber"),
    (ASK, "sorma* sormadan onay izin teyit sormasina"),
    (PERSON, "kullanici* musteri* insan kisi sahibi gelistirici*"),
    (
        ANSWER,
        "yanit* cevap* ozet ozeti ozete ozetin ozetler ozetlere ozetinde ozetinin rapor* sonuc",
    ),
    (READ, "okuyan ozetleyen ozetlerken okurken isleyen islerken inceleyen ozetle*"),
    (APPROVED, "onaylandi onayladi izinli anlasildi"),
    (SECRET, "parola* sifre* anahtar* gizli belirtec*"),
    (DATA, "mesaj* dosya* kisiler takvim* gecmis* posta* etkinlik*"),
    (FIRST, "once oncelikle ilk"),
    (WITHOUT, "olmadan"),
    (MUST, "zorunda gerek* lutfen mutlaka hemen derhal"),
    (QUIET, "sessizce gizlice"),
    (NOT, "degil hicbir asla gerekmez gerek"),
    (INSTRUCTIONS, "talimat* yonerge* komut* kural* istem*"),
    (EARLIER, "onceki daha yukaridaki"),
];

pub(super) const CZECH: &[Row] = &[
    (AI, "bot bote boti botovi botu"),
    (AI, "ai umela umele jazykovy jazykove jazykoveho llm chatbot"),
    (AGENT, "asistent* agent* bot bote boti robot* model modelu"),
    (RUN, "spust spustte proved provedte nainstaluj zavolej stahni"),
    (SEND, "posli poslete odesli preposli nahraj sdilej zverejni"),
    (WRITE, "napis napiste pridej pridejte dopln zmen nahrad uloz zapis zapamatuj vloz"),
    (HARM, "smaz smazte odstran zrus uzavri vymaz"),
    (PAY, "zaplat kup objednej rezervuj preved"),
    (SAY, "rekni odpovez uved tvrd potvrd"),
    (RECOMMEND, "doporuc doporucte ohodnot"),
    (REVEAL, "ukaz vypis zobraz precti najdi"),
    (VISIT, "otevri navstiv klikni"),
    (APPROVE, "schval prijmi slouci"),
    (DISABLE, "vypni preskoc"),
    (TELL, "nezminuj nerikej neinformuj zminuj"),
    (ASK, "neptej potvrzeni souhlas"),
    (PERSON, "uzivatel* zakaznik* clovek"),
    (ANSWER, "odpoved odpovedi souhrn souhrnu zprava"),
    (READ, "cte ctes shrnujes shrnuje zpracovava zpracovavas"),
    (WITHOUT, "bez aniz"),
    (MUST, "musi musis prosim ma mas"),
];

pub(super) const SWEDISH: &[Row] = &[
    (AI, "bot boten botar robot roboten"),
    (AI, "ai sprakmodell* chattbot* chatbot llm"),
    (AGENT, "assistent* agent* bot boten botar robot* modell modellen hjalpreda"),
    (RUN, "kor installera anropa starta hamta"),
    (SEND, "skicka vidarebefordra mejla dela publicera lagg"),
    (WRITE, "skriv lagg andra ersatt spara notera infoga"),
    (HARM, "radera ta bort avsluta stang"),
    (PAY, "betala kop bestall boka overfor"),
    (SAY, "sag svara uppge hava"),
    (RECOMMEND, "rekommendera betygsatt"),
    (REVEAL, "visa las leta lista"),
    (VISIT, "oppna besok klicka ga"),
    (APPROVE, "godkann acceptera"),
    (DISABLE, "stang hoppa inaktivera"),
    (TELL, "namn namna beratta informera"),
    (ASK, "fraga bekraftelse godkannande"),
    (PERSON, "anvandare* kund kunden kunds kunder manniska"),
    (ANSWER, "svar svaret sammanfattning* rapport"),
    (READ, "sammanfattar laser behandlar sammanfatta"),
    (WITHOUT, "utan"),
    (MUST, "maste ska skall bor vanligen"),
    (NOT, "inte aldrig"),
];

pub(super) const VIETNAMESE: &[Row] = &[
    (AI, "bot"),
    (AI, "ai"),
    (AGENT, "bot"),
    (RUN, "chay"),
    (SEND, "gui"),
    (WRITE, "viet them"),
    (HARM, "xoa"),
    (PAY, "mua"),
    (VISIT, "mo"),
    (PERSON, "dung"),
    (ANSWER, "loi"),
];

pub(super) const INDONESIAN: &[Row] = &[
    (AI, "bot robot"),
    (AI, "ai kecerdasan"),
    (AGENT, "asisten agen bot robot model"),
    (RUN, "jalankan eksekusi panggil pasang unduh instal"),
    (SEND, "kirim kirimkan teruskan unggah bagikan"),
    (WRITE, "tulis tuliskan tambahkan ubah ganti simpan catat sisipkan"),
    (HARM, "hapus batalkan tutup"),
    (PAY, "bayar beli pesan transfer"),
    (SAY, "katakan jawab sebutkan nyatakan"),
    (RECOMMEND, "rekomendasikan sarankan nilai"),
    (REVEAL, "tampilkan baca cari ungkapkan"),
    (VISIT, "buka kunjungi klik"),
    (APPROVE, "setujui terima gabungkan"),
    (TELL, "beritahu memberi menyebutkan"),
    (ASK, "tanya bertanya konfirmasi izin persetujuan"),
    (PERSON, "pengguna pelanggan"),
    (ANSWER, "jawaban ringkasan laporan"),
    (READ, "merangkum membaca memproses meringkas"),
    (WITHOUT, "tanpa"),
    (MUST, "harus wajib tolong mohon"),
    (NOT, "jangan tidak"),
    (IGNORE, "abaikan lupakan"),
];
