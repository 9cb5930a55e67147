/** Talks to a real `tau --mode rpc` in raw lines: what goes out is what the test writes, and every line in is a frame. */
import type { Launched, Running } from "../support/launch.ts";

export interface Frame extends Record<string, unknown> {
	type: string;
}

export interface RpcProcess extends AsyncDisposable {
	readonly running: Running;
	/** All that came so far. */
	readonly frames: Frame[];
	/** An object goes out as a line; text and bytes as they are. */
	write(what: object | string): void;
	/** Sends a command under an id of its own and gives its response. */
	ask(command: object): Promise<Frame>;
	/** The first frame, from the beginning or from `after` on, for which it holds. */
	until(holds: (frame: Frame) => boolean, after?: number): Promise<Frame>;
	/** Closes standard input. */
	end(): void;
}

export const model = ["--model", "played/played-1"];

export function startRpc(
	tau: Launched,
	args: readonly string[] = model,
	env: Record<string, string> = {},
): RpcProcess {
	const running = tau.start(["--mode", "rpc", ...args], { stdin: "pipe", env });
	const { stdin } = running.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	const frames: Frame[] = [];
	let taken = 0;
	const take = (out: string): void => {
		for (let end = out.indexOf("\n", taken); end >= 0; end = out.indexOf("\n", taken)) {
			frames.push(JSON.parse(out.slice(taken, end)));
			taken = end + 1;
		}
	};
	const write = (what: object | string): void => {
		stdin.write(typeof what === "string" || what instanceof Uint8Array ? what : `${JSON.stringify(what)}\n`);
		stdin.flush();
	};
	const until: RpcProcess["until"] = async (holds, after = 0) => {
		let frame: Frame | undefined;
		await running.until(({ out }) => {
			take(out);
			frame = frames.slice(after).find(holds);
			return frame !== undefined;
		});
		if (!frame) throw new Error("it never came");
		return frame;
	};
	let asked = 0;
	return {
		running,
		frames,
		write,
		until,
		ask(command) {
			const id = `ask-${++asked}`;
			write({ id, ...command });
			return until((frame) => frame.id === id);
		},
		end: () => void stdin.end(),
		async [Symbol.asyncDispose]() {
			running.process.kill("SIGKILL");
			await running.finished;
		},
	};
}

export function isEvent(type: string): (frame: Frame) => boolean {
	return (frame) => frame.type === type;
}
