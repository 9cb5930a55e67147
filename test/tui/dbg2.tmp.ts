import { Ledger } from "../../packages/tui/src/engine/ledger.ts";
import { HistoryAudit } from "../../packages/tui/src/engine/audit.ts";
const oa = Ledger.prototype.anchor;
Ledger.prototype.anchor = function (f, h) {
	console.log("ANCHOR", f, JSON.stringify(h), "C", this.committed);
	return oa.call(this, f, h);
};
const os = Ledger.prototype.step;
Ledger.prototype.step = function (f, c) {
	const r = os.call(this, f, c);
	console.log("STEP", JSON.stringify(f), c, JSON.stringify(r));
	return r;
};
import { step } from "./operations.ts";
import { Play } from "./play.ts";
const [seed, n] = process.argv.slice(2).map(Number) as [number, number];
const play = new Play(seed);
play.tui.start();
await play.drawn();
const ow = play.terminal.write.bind(play.terminal);
if (process.argv[4])
	play.terminal.write = (d: string) => {
		console.log("W", play.terminal.columns + "x" + play.terminal.rows, JSON.stringify(d));
		ow(d);
	};
const or = play.terminal.resize.bind(play.terminal);
play.terminal.resize = (a: number, b: number) => {
	or(a, b);
	if (process.argv[4]) dump("resized");
};
const dump = (l: string) => {
	const t = play.terminal.tape();
	console.log(
		"==",
		l,
		play.terminal.columns + "x" + play.terminal.rows,
		"committed",
		play.shadow.committed,
		"hist",
		t.history.length,
	);
	console.log(
		t.history
			.slice(-14)
			.map((r) => "  H " + r)
			.join("\n"),
	);
	console.log(t.screen.map((r) => "  S " + r).join("\n"));
	const f = play.frame();
	console.log(
		"frame",
		f.rows.length,
		"end",
		f.contentEnd,
		"live",
		f.firstLive,
		"app",
		f.appended,
		"chromeGrowth",
		f.chromeGrowth,
	);
};
for (let i = 0; i < n; i++) {
	let nm = "";
	try {
		await step(play, (x) => {
			nm = x;
			if (i >= n - 3) dump("before " + x);
		});
	} catch (e) {
		dump("FAILED " + nm);
		console.log("STALE", play.shadow.stale.has("w04j"), play.shadow.committed);
		console.log(String(e).slice(0, 600));
		console.log(
			play
				.frame()
				.rows.slice(0, 60)
				.map((r, i) => i + " " + r)
				.join("\n"),
		);
		process.exit(1);
	}
}
dump("end");
console.log("STALE", play.shadow.stale.has("w04j"));
