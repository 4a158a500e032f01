//! What decides about calls: modes, confirmation, rules, classes of tools. Owns which layer may loosen what of it.

use portcullis_core::{
    assessment::ActionClass,
    policy::{Adjustment, Change, DontAsk, Permissions, PolicyOptions, class_key},
    risk::Severity,
    rules, tool,
};

use super::{
    super::{
        Account, Lock, Why,
        part::{Part, covers},
    },
    Key, Turn, is_as_strict,
    words::{adjustment_words, class_words, confirmation_words, dont_ask_word},
};

impl Account {
    /// The keys with one value.
    pub(super) fn take(&mut self, turn: Turn<'_>, part: &Part, options: &mut PolicyOptions) {
        match part.disable_bypass {
            Some(false) if options.disable_bypass => {
                self.leave("disable_bypass", false.to_string(), turn, Why::Latched);
            }
            Some(disable) => {
                self.set("disable_bypass", disable.to_string(), turn.source);
                options.disable_bypass = disable;
            }
            None => {}
        }
        self.settle(
            turn,
            Key("dont_ask", Lock::Mode),
            &mut options.dont_ask,
            part.dont_ask,
            |word| dont_ask_word(*word).to_owned(),
            |held, new| {
                let denies = [held, new].contains(&&DontAsk::DenyQuietly);
                Some(if denies { DontAsk::DenyQuietly } else { DontAsk::AllowQuietly })
            },
        );
        let (dont_ask, disabled) = (options.dont_ask, options.disable_bypass);
        self.settle(
            turn,
            Key("mode", Lock::Mode),
            &mut options.mode,
            part.mode.map(Some),
            |mode| mode.map_or_else(String::new, |mode| mode.name().to_owned()),
            |held, new| {
                let effective = |mode| Permissions::new(mode, disabled).mode();
                is_as_strict(effective(*new), effective(*held), dont_ask).then_some(*new)
            },
        );
        self.settle(
            turn,
            Key("confirmation", Lock::Confirmation),
            &mut options.confirmation,
            part.confirmation,
            |confirmation| confirmation_words(*confirmation),
            |held, new| held.joined(*new),
        );
        self.settle(
            turn,
            Key("session.asked_for", Lock::Confirmation),
            &mut options.asked_for,
            part.asked_for.map(Some),
            |risk| risk.map_or_else(String::new, |risk| risk.name().to_owned()),
            |held, new| Some(*held.min(new)),
        );
    }

    /// The keys with many values.
    pub(super) fn take_rules(&mut self, turn: Turn<'_>, part: &Part, options: &mut PolicyOptions) {
        for rule in &part.deny {
            self.add("rules.deny", rule.to_string(), turn.source);
            options.deny.push(rule.clone());
        }
        for floor in &part.floors {
            self.add("floors", floor.clone(), turn.source);
        }
        for rule in &part.ask {
            self.add("rules.ask", rule.to_string(), turn.source);
            options.ask.push(rule.clone());
        }
        let bound = self.binds(turn, Lock::Allow);
        for rule in &part.allow {
            match bound {
                Some(why) => self.leave("rules.allow", rule.to_string(), turn, why),
                None => {
                    self.add("rules.allow", rule.to_string(), turn.source);
                    options.allow.push(rule.clone());
                }
            }
        }
        for adjustment in &part.adjustments {
            self.adjust(turn, adjustment, options);
        }
        // After the adjustments: those of the same file were checked against its floors when it was read.
        options.floors.extend(part.floors.iter().cloned());
        let bound = self.binds(turn, Lock::Classes);
        for (name, class) in &part.classes {
            let value = class_words(name, *class);
            if let Some(why) = bound.filter(|_| !raises(options, name, *class)) {
                self.leave("classes", value, turn, why);
                continue;
            }
            let same = |other: &str| class_key(other) == class_key(name);
            if let Some((other, class)) = options.classes.iter().find(|(other, _)| same(other)) {
                let words = class_words(other, *class);
                self.settings.retain(|one| one.key != "classes" || one.value != words);
            }
            self.add("classes", value, turn.source);
            options.classes.retain(|(other, _)| !same(other));
            options.classes.push((name.clone(), *class));
        }
    }

    fn adjust(&mut self, turn: Turn<'_>, adjustment: &Adjustment, options: &mut PolicyOptions) {
        let Adjustment { rule, change, reason } = adjustment;
        let value = adjustment_words(adjustment);
        let floored = options.floors.iter().any(|floor| covers(floor, rule));
        if floored && *change != Change::Severity(Severity::Critical) {
            self.leave("severity", value, turn, Why::Floor);
            return;
        }
        let Some(why) = self.binds(turn, Lock::Severity) else {
            let same = |one: &Adjustment| one.rule == *rule;
            if let Some(replaced) = options.adjustments.iter().find(|one| same(one)) {
                let words = adjustment_words(replaced);
                self.settings.retain(|one| one.key != "severity" || one.value != words);
            }
            options.adjustments.retain(|one| !same(one));
            self.add("severity", value, turn.source);
            options.adjustments.push(adjustment.clone());
            return;
        };
        let Change::Severity(level) = *change else {
            self.leave("severity", value, turn, why);
            return;
        };
        let mut covered = rules::all().filter(|known| covers(rule, known.id));
        if covered.any(|known| known.severity > level) {
            self.leave("severity", value, turn, why);
        }
        let change = Change::AtLeast(level);
        let raised = Adjustment { rule: rule.clone(), change, reason: reason.clone() };
        self.add("severity", adjustment_words(&raised), turn.source);
        options.adjustments.push(raised);
    }
}

/// Whether a class can only make a tool's calls stricter: it is above the one that holds, and that one is known. An unknown tool
/// is asked about for being unknown, so any class for it loosens; and `plan` lets some tools of the network go on that it
/// would refuse as anything else.
fn raises(options: &PolicyOptions, name: &str, class: ActionClass) -> bool {
    let same = |other: &str| class_key(other) == class_key(name);
    let given = options.classes.iter().find(|(other, _)| same(other)).map(|(_, class)| *class);
    let holds = given.unwrap_or_else(|| tool::class(name));
    holds != ActionClass::Unknown && class > holds && class != ActionClass::Network
}
