//! The screen as the library draws on it. Owns the sequences for places, colours and letters (ECMA-48); nothing but what a cell holds is written,
//! and no cell holds what moves a cursor.

use std::io::{self, Write as _};

use ratatui_core::{
    backend::{Backend, ClearType, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
    style::{Color, Modifier},
};

use crate::person::Screen;

/// A screen that is drawn on.
pub(super) struct Glass {
    screen: Screen,
    /// What is to be written when a drawing is done.
    bytes: Vec<u8>,
    cursor: Position,
}

impl Glass {
    pub(super) const fn new(screen: Screen) -> Self {
        Self { screen, bytes: Vec::new(), cursor: Position::ORIGIN }
    }

    pub(super) const fn screen(&mut self) -> &mut Screen {
        &mut self.screen
    }
}

/// The colours that we use, and what they are called.
const fn colour(colour: Color) -> &'static str {
    match colour {
        Color::Red => ";31",
        Color::Yellow => ";33",
        Color::Magenta => ";35",
        _ => "",
    }
}

const MODIFIERS: &[(Modifier, &str)] = &[
    (Modifier::BOLD, ";1"),
    (Modifier::DIM, ";2"),
    (Modifier::UNDERLINED, ";4"),
    (Modifier::REVERSED, ";7"),
];

impl Backend for Glass {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut looks = None;
        for (column, row, cell) in content {
            // Each cell at its own place: a terminal that takes a letter for wider than we do moves nothing else.
            write!(self.bytes, "\x1b[{};{}H", row.saturating_add(1), column.saturating_add(1))?;
            let look = (cell.fg, cell.modifier);
            if looks != Some(look) {
                write!(self.bytes, "\x1b[0")?;
                for (modifier, code) in MODIFIERS {
                    if cell.modifier.contains(*modifier) {
                        self.bytes.write_all(code.as_bytes())?;
                    }
                }
                write!(self.bytes, "{}m", colour(cell.fg))?;
                looks = Some(look);
            }
            self.bytes.write_all(cell.symbol().as_bytes())?;
        }
        self.bytes.write_all(b"\x1b[0m")
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.bytes.write_all(b"\x1b[?25l")
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.bytes.write_all(b"\x1b[?25h")
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        let Position { x, y } = self.cursor;
        write!(self.bytes, "\x1b[{};{}H", y.saturating_add(1), x.saturating_add(1))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.bytes.write_all(b"\x1b[0m\x1b[2J")
    }

    fn clear_region(&mut self, kind: ClearType) -> io::Result<()> {
        let code = match kind {
            ClearType::All => "2J",
            ClearType::AfterCursor => "0J",
            ClearType::BeforeCursor => "1J",
            ClearType::CurrentLine => "2K",
            ClearType::UntilNewLine => "0K",
        };
        write!(self.bytes, "\x1b[{code}")
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.screen.size().into())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.screen.write_all(&self.bytes)?;
        self.bytes.clear();
        self.screen.flush()
    }
}
