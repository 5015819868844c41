// The decoder of event streams beside the npm package `eventsource-parser`, over the same bytes cut at every place.
//
// What the two say differently by design, and `theirs` makes the same:
// - The package leaves out what is default: no name is `message`, and an event without an id has the last one.
// - A retry beyond 2⁵³ is a rounded number there, and a saturated one here.
// - Whoever decodes bytes by hand may give the package the UTF-8 of a byte order mark as three characters, which it removes
//   as well. Here bytes come, and that text is text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import { decode } from "./decode.mjs";
import { cuts, fixtures, random } from "./streams.mjs";

/** @param {Buffer[]} chunks */
function theirs(chunks) {
  const said = { events: /** @type {string[][]} */ ([]), last_event_id: "", retry: /** @type {number | null} */ (null), comments: 0 };
  const parser = createParser({
    onEvent: ({ event = "message", data }) => said.events.push([event, data, said.last_event_id]),
    onId: (id) => (said.last_event_id = id),
    onRetry: (time) => (said.retry = time),
    onComment: () => (said.comments += 1),
  });
  const text = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const chunk of chunks) parser.feed(text.decode(chunk, { stream: true }));
  return said;
}

for (const [kind, streams] of Object.entries({ fixtures: fixtures(), random: random(3000) })) {
  test(`the decoder and eventsource-parser say the same of ${streams.length} streams at every cut: ${kind}`, (t) => {
    const answers = decode(streams.map(({ bytes }) => ({ sse: bytes.toString("hex") })));
    let [events, compared] = [0, 0];
    for (const [at, { name, bytes }] of streams.entries()) {
      const [ours, ...others] = answers[at];
      assert.deepEqual(others, [], `${name}: a cut changed what the stream says: ${JSON.stringify(bytes.toString())}`);
      for (const chunks of cuts(bytes)) {
        assert.deepEqual(theirs(chunks), ours, `${name}: ${JSON.stringify(chunks.map(String))}`);
        compared += 1;
      }
      events += ours.events.length;
    }
    t.diagnostic(`${streams.length} streams, ${events} events, ${compared} ways to cut`);
    assert.ok(events > 40, `only ${events} events: the streams no longer say anything`);
  });
}

test("the fixtures say what both decoders say", () => {
  const streams = fixtures();
  const answers = decode(streams.map(({ bytes }) => ({ sse: bytes.toString("hex") })));
  for (const [at, { name, events, last_event_id, retry, comments }] of /** @type {any[]} */ (streams).entries()) {
    const told = events.map((/** @type {any} */ event) => [event.name, event.data, event.id]);
    assert.deepEqual(answers[at], [{ events: told, last_event_id, retry, comments }], name);
  }
});

test("text that looks like the bytes of a byte order mark is text", () => {
  const bytes = Buffer.from("\u00ef\u00bb\u00bfdata:a\n\ndata:b\n\n");
  const [[ours, ...others]] = decode([{ sse: bytes.toString("hex") }]);
  assert.deepEqual([ours.events, others], [[["message", "b", ""]], []]);
  assert.deepEqual(theirs([bytes]).events.length, 2, "the package no longer differs: the note above can go");
});
