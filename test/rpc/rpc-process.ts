/** Runs a real `tau --mode rpc`: the test writes raw input, and every line of output is a frame. */
import type { Launched, Running } from "../support/launch.ts";

export interface Frame extends Record<string, unknown> {
	type: string;
}

export interface RpcProcess extends AsyncDisposable {
	readonly running: Running;
	/** All frames so far. */
	readonly frames: Frame[];
	/** Writes an object as a line of JSON, and text and bytes unchanged. */
	write(what: object | string): void;
	/** Sends a command with a new id and returns its response. */
	ask(command: object): Promise<Frame>;
	/** The first matching frame, from the beginning or from `after` on. */
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
