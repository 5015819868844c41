//! What blocks become where a wire has no word for them.

use crate::json::{Limits, Raw, Reader};
use crate::text::join;
use crate::thread::Block;

/// An image or a document that a page can load.
pub(super) struct Media {
    /// Where it is.
    pub url: String,
    /// What it is.
    pub media_type: String,
}

/// Reads a source as hosts write it: a url or the bytes in base64, with the media type. None when either is missing.
pub(super) fn media(source: &Raw) -> Option<Media> {
    let (mut url, mut data, mut media_type) = (None, None, None);
    let mut r = Reader::new(source.as_str(), Limits::default()).ok()?;
    r.object(|r, key| {
        let slot = match key {
            "url" => &mut url,
            "data" => &mut data,
            "media_type" | "mediaType" => &mut media_type,
            _ => return r.skip(),
        };
        *slot = Some(r.string()?.into_owned());
        Ok(())
    })
    .ok()?;
    let media_type = media_type?;
    let url = url.or_else(|| data.map(|data| join(&["data:", &media_type, ";base64,", &data])))?;
    Some(Media { url, media_type })
}

/// A short text that names a block; None for one that this version does not know.
pub(super) fn name(block: &Block) -> Option<String> {
    match block {
        Block::Text { text } => Some(text.clone()),
        Block::Image { .. } => Some("[image]".to_owned()),
        Block::Document { title: Some(title), .. } => Some(join(&["[document: ", title, "]"])),
        Block::Document { title: None, .. } => Some("[document]".to_owned()),
        Block::SearchResult { title, .. } => Some(join(&["[search result: ", title, "]"])),
        Block::Redacted {} => Some("[redacted]".to_owned()),
        Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Thinking { .. } => Some(String::new()),
        Block::Unknown(_) => None,
    }
}

/// All text of a message as it was streamed, then the names of the blocks that `named` picks, and how many are unknown.
pub(super) fn text(content: &[Block], named: impl Fn(&Block) -> bool) -> (String, u64) {
    let mut text = String::new();
    for block in content {
        if let Block::Text { text: more } = block {
            text.push_str(more);
        }
    }
    let mut unknown = 0;
    for block in content.iter().filter(|block| !matches!(block, Block::Text { .. })) {
        match name(block).filter(|name| !name.is_empty()) {
            Some(name) if named(block) => {
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&name);
            }
            Some(_) => {}
            None => unknown += 1,
        }
    }
    (text, unknown)
}
