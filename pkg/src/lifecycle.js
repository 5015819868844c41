// The page's life: seen or hidden, with a network or without, put aside and taken up again. A worker has no document and
// Node no events at all; then there is less to listen to.

export const isHidden = () => globalThis.document?.visibilityState === "hidden";

/** Listens from now on; `call(action)` runs `action(driver)`. Returns how to stop. */
export function lifecycle(call) {
  const leave = (driver) => {
    driver.tell("hidden");
    // The frame that a flush may be waiting for does not come while the page is hidden.
    driver.flush();
  };
  const heard = ({ type, persisted }) =>
    call((driver) => {
      if (type === "visibilitychange") isHidden() ? leave(driver) : driver.tell("visible");
      else if (type === "pagehide") {
        // A page with an open connection is not kept in the back-forward cache.
        leave(driver);
        driver.tell("lose");
        driver.flush();
      } else if (type !== "pageshow" || persisted) driver.tell(type);
    });
  const pairs = [
    [globalThis.document, ["visibilitychange"]],
    [globalThis, ["online", "offline", "pagehide", "pageshow"]],
  ].flatMap(([target, types]) => (target?.addEventListener ? types.map((type) => [target, type]) : []));
  for (const [target, type] of pairs) target.addEventListener(type, heard);
  return () => {
    for (const [target, type] of pairs) target.removeEventListener(type, heard);
  };
}
