//! The shell parser gives a tree for any text, and every span in it stands in the source and inside the span around it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_syntax::Span;
use portcullis_syntax::shell::visit::{Node, Visitor, walk};
use portcullis_syntax::shell::{Redirect, parse};

fuzz_target!(|source: &str| {
    let script = parse(source);
    walk(&script.body, &mut Spans { source, around: Vec::new() });
    for span in script.unparsed.iter().map(|unparsed| unparsed.span).chain(script.comments) {
        assert!(source.get(span.range()).is_some(), "{span:?}");
    }
});

struct Spans<'s> {
    source: &'s str,
    around: Vec<Span>,
}

impl<'t> Visitor<'t> for Spans<'_> {
    fn enter(&mut self, node: Node<'t>) {
        let span = node.span();
        assert!(self.source.get(span.range()).is_some(), "{node:?}");
        assert!(
            self.around.last().is_none_or(|around| around.contains(span)),
            "{node:?} in {:?}",
            self.around.last()
        );
        // A heredoc's body stands outside its redirection.
        let whole = Span::new(0, self.source.len());
        self.around.push(if matches!(node, Node::Redirect(Redirect { heredoc: Some(_), .. })) {
            whole
        } else {
            span
        });
    }

    fn leave(&mut self, _: Node<'t>) {
        self.around.pop();
    }
}
