// A response whose body comes in given pieces.

/** A stream that gives the pieces one by one, each when it is asked for. */
export function body(pieces) {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (next < pieces.length) controller.enqueue(pieces[next++]);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The same as the answer to a request for an event stream. */
export const response = (pieces) => new Response(body(pieces), { headers: { "content-type": "text/event-stream" } });
