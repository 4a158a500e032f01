//! English.

use super::{Acts, Language, Role};

/// The words of English.
pub(in crate::session) static ENGLISH: Language = Language {
    phrases: &[
        (
            Acts::DELETE,
            "get rid of, throw … away, tear … down, take … down, shut … down, wind … down, blow … away, wipe … out, \
             empty the, empty my, empty our, empty all",
        ),
        (
            Acts::SEND,
            "drop … line, drop … note, put … message, put … note, leave … comment, leave … note, give … heads-up, \
             shoot … mail, shoot … email, shoot … message, get back to, reach out to, pass … on to, \
             thank him, thank her, thank them, thank everybody, thank everyone, congratulate him, congratulate her, \
             congratulate them, with a reply, with a message, with an email, say hello to, say thanks to",
        ),
        (
            Acts::SHARE,
            "hand … over, make … public, make … available, open … up to, public gist, public link, give … access",
        ),
        (
            Acts::PUBLISH,
            "roll … out, put … live, get … live, bring … live, make … release, cut … release, do … release, get … onto \
             staging, get … onto production, get … onto prod, create … release, draft … release",
        ),
        (
            Acts::CHANGE,
            "like … post, like … posts, like … comment, like … comments, like it, follow … account, follow … back",
        ),
        (Acts::RUN, "spin … up, kick … off, fire … up, bring … up"),
    ],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "get gets list lists search searches read reads view views find finds fetch show display describe count check \
             checks lookup look query inspect browse navigate open download retrieve retrive see summarize summarise \
             summary explain tell what who when where which how analyse analyze compare review calculate compute monitor \
             visit print watch verify is has can whoami status ping validate estimate preview diff log logs history",
        ),
        (
            Acts::CHANGE,
            "create creates creating add adds adding added make makes update updates updating updated edit edits editing \
             change changes changing set sets write writes writing append appends insert put puts modify adjust adjusts \
             rename renames replace replaces move moves moving copy save saves upload uploads generate draft drafts \
             schedule schedules reschedule reschedules book fix fixes build implement refactor configure register mark \
             block sync syncs organize organise attach assign label comment comments import export convert upsert patch tidy clean \
             setup prepare fill track record enter extend follow unfollow star pin react categorize categorise remind freeze hold lock locks close closes resolve resolves handle handles process help assist translate start begin bump raise lower increase decrease reduce",
        ),
        (
            Acts::DELETE,
            "delete deletes deleting deleted remove removes removing removed erase wipe wipes purge drop drops clear clears \
             destroy destroys cancel cancels cancelling canceling cancelled kill kills stop stops stopping terminate \
             uninstall unsubscribe prune trash clean cleanup tidy rm scancel revoke archive discard shred \
             abort unlink nuke nukes",
        ),
        (
            Acts::SEND,
            "send sends sending sent email emails emailing mail message messages notify text texts reply replies respond \
             forward forwards forwarding post posts posting tweet tell call dial ping announce submit submits contact alert \
             dispatch broadcast publish inform fax dm write let request requests ask asks export upload uploads report \
             escalate answer comment",
        ),
        (
            Acts::SHARE,
            "share shares sharing shared invite invites inviting invited grant grants give allow allows permit add \
             adds collaborate unlock unlocks authorize authorise expose",
        ),
        (
            Acts::PAY,
            "pay pays paying paid transfer transfers transferring wire buy buys buying purchase purchases order orders \
             ordering refund refunds refunding donate book books booking reserve reserves sell sells trade invest withdraw \
             deposit charge subscribe subscribes topup send sends tip bid checkout rent \
             repay settle reimburse ",
        ),
        (
            Acts::PUBLISH,
            "publish publishes publishing push pushes pushing pushed deploy deploys deploying release releases releasing \
             merge merges merging merged ship launch promote upload rollout tag force-push post",
        ),
        (
            Acts::RUN,
            "run runs running rerun execute executes install installs invoke start starts restart restarts launch trigger \
             test tests build try reproduce use call dispatch eval clone pull apply play turn control activate operate move \
             go migrate",
        ),
        (
            Acts::ADMINISTER,
            "password passwords grant grants revoke permission permissions enable enables disable disables unlock unlocks \
             reset resets rotate role roles authorize activate deactivate suspend ban block unblock configure \
             account accounts profile settings credential credentials whitelist chmod chown sudo approve approves policy \
             disarm",
        ),
        (Acts::COMMIT, "commit commits committing committed"),
    ],
    roles: &[
        (Role::Please, "please kindly"),
        (Role::Anything, "anything nothing everything"),
        (
            Role::Not,
            "dont don't never avoid without no not cannot cant shouldn't shouldnt mustn't mustnt refrain neither nor",
        ),
        (Role::Forget, "forget forgetting hesitate worry miss fail"),
        (Role::Only, "only solely exclusively"),
        (
            Role::Ask,
            "asking ask confirmation confirming confirm permission approval checking approve approved consulting",
        ),
        (
            Role::Touch,
            "touch touching touched modify modifying change changing alter altering edit editing anything mess tamper",
        ),
        (
            Role::Demand,
            "lets let's must should shall need needs todo ensure make sure you want instead now first immediately then \
       also just do to could required urgent remember important instruction instructions task ai assistant agent",
        ),
        (Role::And, "and then but also or so afterwards"),
    ],
};
