// Owns how much of what would run somebody has had before their eyes: nobody approves what they did not see, nor in the moment in which it
// appears. It looks at the screen, and decides nothing.

// So long something must have been seen before it can be approved.
const SEEN = 1000;

// Of one article at a time: `current()` is the one that is open, or nothing.
export function reading(current) {
  let since = Infinity;
  let read = { id: null };

  // Notes how much was on the screen, from its beginning on and without a gap: what is scrolled to without what stands before it was not read.
  // In another width it stands elsewhere, and is read anew unless all of it was.
  function look() {
    const article = current();
    const box = article?.querySelector(".texts")?.getBoundingClientRect();
    // What is not laid out is not before anybody's eyes.
    if (!box || box.width < 1 || !article.checkVisibility()) return;
    const id = article.dataset.id;
    const is = read.id === id && (read.isWhole || Math.abs(read.width - box.width) < 1);
    if (!is) read = { id, to: 0, width: box.width, isWhole: false };
    if (!read.isWhole && document.visibilityState === "visible" && !document.querySelector("dialog[open]")) {
      const [above, below] = clear(article);
      const from = Math.max(0, above - box.top);
      const to = Math.min(box.height, below - box.top);
      // Nothing can be read in less than a line.
      if (to - from >= Math.min(14, box.height) && from <= read.to + 1) read.to = Math.max(read.to, to);
      read.isWhole = read.to >= box.height - 1;
    }
    const percent = Math.min(99, Math.floor(100 * read.to / Math.max(1, box.height)));
    const words = read.isWhole ? "" : `${percent} % of it was on the screen`;
    const place = article.querySelector(".unread");
    if (place && place.textContent !== words) place.textContent = words;
  }

  // What of the window nothing else lies over.
  function clear(article) {
    const head = document.getElementById("top").getBoundingClientRect();
    const foot = article.querySelector(":scope > .buttons")?.getBoundingClientRect();
    const notes = document.getElementById("told");
    const note = notes.childElementCount ? notes.getBoundingClientRect().top : innerHeight;
    const banner = document.getElementById("loosened")?.getBoundingClientRect();
    const stuck = (one) => one && one.top <= 1 + head.height ? one.bottom : 0;
    return [Math.max(0, stuck(head), stuck(banner)), Math.min(innerHeight, foot?.top ?? innerHeight, note)];
  }

  const began = () => { since = performance.now(); };
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  document.addEventListener("visibilitychange", began);
  return {
    look,
    began,
    isFresh: () => performance.now() - since < SEEN || document.visibilityState !== "visible",
    // Whether all of what would run was on the screen; goes on to what was not.
    isWhole: () => {
      look();
      const article = current();
      if (!article?.checkVisibility()) return false;
      if (read.id === article.dataset.id && read.isWhole) return true;
      const box = article.querySelector(".texts").getBoundingClientRect();
      scrollBy(0, box.top + read.to - clear(article)[0] - 24);
      look();
      since = performance.now();
      return false;
    },
    end: () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
      document.removeEventListener("visibilitychange", began);
    },
  };
}
