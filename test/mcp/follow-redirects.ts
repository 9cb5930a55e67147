/** A browser without a user: it opens a page and follows where that leads. */
await fetch(process.argv.at(-1) ?? "", { redirect: "follow" });
