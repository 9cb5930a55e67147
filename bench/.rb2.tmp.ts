import { playModel } from "@tau/ai/testing";
import { homeFor, modelName, tau } from "./home.ts";
await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
using home = homeFor(played);
for (let i = 0; i < 12; i++) {
  const t0 = performance.now(); let text = ""; let first = 0, key = 0, model = 0; const done = Promise.withResolvers<void>();
  const c = Bun.spawn([tau, "--model", modelName], { cwd: home.project, env: { ...process.env, ...home.env, TERM: "xterm-256color" }, terminal: { cols: 120, rows: 40, data(_, ch) { text += new TextDecoder().decode(ch); if (!first && text.includes("τ")) { first = performance.now() - t0; c.terminal!.write("zqzq"); } const p = Bun.stripANSI(text); if (!key && p.includes("zqzq")) key = performance.now() - t0; if (!model && p.includes("played-1")) model = performance.now() - t0; if (key && model) done.resolve(); } } });
  await done.promise; console.log(first.toFixed(0), key.toFixed(0), model.toFixed(0)); c.kill(9); await c.exited;
}
