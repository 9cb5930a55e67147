/** The terminals of the editor of these tests: real programs, whose output and end it keeps. */
import { methods, type ClientApp } from "@agentclientprotocol/sdk/unstable";

export interface EditorTerminal {
	readonly command: readonly string[];
	readonly cwd: string | undefined;
	output: string;
	exitCode: number | undefined;
	isReleased: boolean;
}

/** `terminals` has each one that was opened, in order; their ids count from `terminal-0`. */
export function withTerminals(app: ClientApp, terminals: EditorTerminal[]): ClientApp {
	const ended = new Map<string, Promise<number>>();
	const find = (id: string): EditorTerminal => {
		const found = terminals[Number(id.split("-")[1])];
		if (!found || found.isReleased) throw new Error(`there is no terminal ${id}`);
		return found;
	};
	const { terminal } = methods.client;
	return app
		.onRequest(terminal.create, ({ params }) => {
			const { command, args = [], cwd } = params;
			const terminalId = `terminal-${terminals.length}`;
			const opened: EditorTerminal = {
				command: [command, ...args],
				cwd: cwd ?? undefined,
				output: "",
				exitCode: undefined,
				isReleased: false,
			};
			terminals.push(opened);
			const program = Bun.spawn([command, ...args], { cwd: cwd ?? ".", stdout: "pipe", stderr: "ignore" });
			const read = async (): Promise<number> => {
				const decoder = new TextDecoder();
				for await (const chunk of program.stdout) opened.output += decoder.decode(chunk, { stream: true });
				return (opened.exitCode = await program.exited);
			};
			ended.set(terminalId, read());
			return { terminalId };
		})
		.onRequest(terminal.waitForExit, async ({ params }) => {
			find(params.terminalId);
			return { exitCode: (await ended.get(params.terminalId)) ?? null };
		})
		.onRequest(terminal.output, ({ params }) => ({
			output: find(params.terminalId).output,
			truncated: false,
		}))
		.onRequest(terminal.release, ({ params }) => {
			find(params.terminalId).isReleased = true;
			return {};
		});
}
