/** Records where this process spends its time, and shows it: as folded stacks, a table, and a flame graph. */
import { Session, type Profiler } from "node:inspector/promises";

import { flameGraph } from "./flame-graph.ts";

export interface WorkProfile {
	/** One line per stack, `outer;inner count`, as other tools read them. */
	folded: string;
	/** A Markdown table of the functions that took most. */
	summary: string;
	/** A flame graph; undefined if nothing was recorded. */
	svg: string | undefined;
	totalMs: number;
	sampleCount: number;
}

/** Samples that one recording keeps; a longer one shows its end. */
const maxSamples = 600_000;
const summaryRows = 25;

/** One recording; it ends at the latest when it is disposed of. */
export class CpuProfile implements Disposable {
	readonly #session: Session;

	private constructor(session: Session) {
		this.#session = session;
	}

	static async start(intervalMicroseconds = 1000): Promise<CpuProfile> {
		const session = new Session();
		session.connect();
		await session.post("Profiler.enable");
		await session.post("Profiler.setSamplingInterval", { interval: intervalMicroseconds });
		await session.post("Profiler.start");
		return new CpuProfile(session);
	}

	async stop(): Promise<WorkProfile> {
		const { profile } = await this.#session.post("Profiler.stop");
		return workProfile(profile);
	}

	[Symbol.dispose](): void {
		this.#session.disconnect();
	}
}

interface Frame {
	name: string;
	stack: string[];
}

export function workProfile({ nodes, samples = [], startTime, endTime }: Profiler.Profile): WorkProfile {
	const frames = framesOf(nodes);
	const counts = new Map<string, number>();
	const own = new Map<string, number>();
	const kept = samples.slice(-maxSamples);
	for (const id of kept) {
		const frame = frames.get(id);
		if (!frame || frame.stack.length === 0) continue;
		const stack = frame.stack.join(";");
		counts.set(stack, (counts.get(stack) ?? 0) + 1);
		own.set(frame.name, (own.get(frame.name) ?? 0) + 1);
	}
	const sampleCount = kept.length;
	const lines = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
	return {
		folded: lines.map(([stack, count]) => `${stack} ${count}\n`).join(""),
		summary: summaryOf(own, sampleCount),
		svg: lines.length === 0 ? undefined : flameGraph(lines),
		totalMs: (endTime - startTime) / 1000,
		sampleCount,
	};
}

function framesOf(nodes: readonly Profiler.ProfileNode[]): Map<number, Frame> {
	const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const frames = new Map<number, Frame>();
	const frameOf = (id: number): Frame => {
		const known = frames.get(id);
		if (known) return known;
		const node = byId.get(id);
		const parent = parents.get(id);
		const above = parent === undefined ? [] : frameOf(parent).stack;
		const name = node ? nameOf(node) : "";
		const frame = { name, stack: name === "(root)" ? [] : [...above, name] };
		frames.set(id, frame);
		return frame;
	};
	for (const { id } of nodes) frameOf(id);
	return frames;
}

/** `;` and line ends separate stacks. */
function nameOf({ callFrame: { functionName, url, lineNumber } }: Profiler.ProfileNode): string {
	const file = url.split(/[\\/]/).at(-1) ?? "";
	const place = file === "" || lineNumber < 0 ? "" : ` (${file}:${lineNumber + 1})`;
	return `${functionName || "(anonymous)"}${place}`.replace(/[;\n\r]/g, " ");
}

function summaryOf(own: ReadonlyMap<string, number>, total: number): string {
	const most = [...own].toSorted(([, a], [, b]) => b - a).slice(0, summaryRows);
	const rows = most.map(([name, count]) => {
		const cell = name.replaceAll("|", String.raw`\|`);
		return `| ${((100 * count) / total).toFixed(1)} % | ${count} | ${cell} |`;
	});
	return ["| own time | samples | function |", "| --- | --- | --- |", ...rows, ""].join("\n");
}
