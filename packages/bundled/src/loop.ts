/** `/loop`: sends a prompt again and again while the session is open, one run at a time. */
import type { ExtensionContext, ExtensionFactory } from "@tau/extensions/api";
import { timer } from "@tau/utils";

const limits = {
	leastMs: 1000,
	mostMs: 24 * 60 * 60_000,
	/** Then the user is asked to begin again: a loop that was forgotten must not spend money for days. */
	runs: 200,
} as const;

const units = { s: 1000, m: 60_000, h: 60 * 60_000 } as const;
const usage =
	"Usage: /loop <interval> <prompt>, such as /loop 5m is the deploy done?, or /loop off. Intervals: 30s, 5m, 2h.";

interface Loop {
	readonly everyMs: number;
	readonly interval: string;
	readonly prompt: string;
	runs: number;
}

export const loop: ExtensionFactory = (pi) => {
	let current: Loop | undefined;
	let next: Disposable | undefined;

	const stop = (ctx: ExtensionContext): void => {
		next?.[Symbol.dispose]();
		next = undefined;
		current = undefined;
		ctx.ui.setStatus("loop", undefined);
	};
	/** While the model still answers, this turn is left out: runs do not pile up. */
	const run = (of: Loop, ctx: ExtensionContext): void => {
		if (ctx.isIdle()) {
			if (of.runs >= limits.runs) {
				stop(ctx);
				return ctx.ui.notify(`The loop has run ${limits.runs} times and has ended. /loop starts it again.`);
			}
			of.runs += 1;
			ctx.ui.setStatus("loop", `loop ${of.interval} · ${of.runs}`);
			pi.sendUserMessage(of.prompt);
		}
		next = timer(of.everyMs, () => run(of, ctx));
	};

	pi.registerCommand("loop", {
		description: "Repeat a prompt at an interval: /loop 5m is the deploy done?",
		getArgumentCompletions: (prefix) =>
			["5m ", "30s ", "off"]
				.filter((value) => value.startsWith(prefix))
				.map((value) => ({ value, label: value.trim() })),
		handler: async (args, ctx) => {
			const words = args.trim();
			if (words === "")
				return ctx.ui.notify(
					current ? `Every ${current.interval}, ${current.runs} times so far: ${current.prompt}` : usage,
				);
			if (words === "off") {
				ctx.ui.notify(current ? `The loop has ended after ${current.runs} runs.` : "No loop is running.");
				return stop(ctx);
			}
			const wanted = parse(words);
			if (!wanted) return ctx.ui.notify(usage, "error");
			stop(ctx);
			current = wanted;
			ctx.ui.notify(`Every ${wanted.interval} while this session is open; /loop off ends it.`);
			run(wanted, ctx);
		},
	});
	pi.on("session_shutdown", (_, ctx) => stop(ctx));
	pi.on("session_switch", (_, ctx) => stop(ctx));
};

function parse(words: string): Loop | undefined {
	const [, count = "", unit = "", prompt = ""] = /^(\d+)([smh])\s+(\S[\s\S]*)$/.exec(words) ?? [];
	const everyMs = Number(count) * (units[unit as keyof typeof units] ?? 0);
	if (everyMs < limits.leastMs || everyMs > limits.mostMs) return undefined;
	return { everyMs, interval: `${count}${unit}`, prompt, runs: 0 };
}
