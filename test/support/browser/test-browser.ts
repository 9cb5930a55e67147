/** A browser for tests, with the texts of its results. */
import type { AgentToolResult } from "@tau/agent";

import { callTool, testToolEnv, type TestToolEnv, type TestToolEnvOptions } from "../tool-env.ts";
import { builtinTool, privateTargets, type RequestPrivate } from "@tau/integrations/builtin";

export interface TestBrowser extends AsyncDisposable {
	readonly env: TestToolEnv;
	/** The text of a result; rejects if it is an error. */
	run(args: Record<string, unknown>): Promise<string>;
	/** The text of an error; rejects if it is none. */
	fail(args: Record<string, unknown>): Promise<string>;
	result(args: Record<string, unknown>): Promise<AgentToolResult>;
	/** The number of the control whose line ends so, in a new look. */
	ref(name: string): Promise<number>;
}

/** With the browser that Tau finds, or the one at `path`. Of this machine, two names are allowed, and its other addresses are not. */
export async function testBrowser({
	requestPrivate = async ({ host }) => /^(?:localhost|127\.0\.0\.1)$/.test(host),
	path,
	...more
}: TestToolEnvOptions & {
	requestPrivate?: RequestPrivate;
	path?: string | undefined;
} = {}): Promise<TestBrowser> {
	const env = await testToolEnv(more);
	if (path !== undefined) await env.settings.set("browser.path", path, "session");
	env.services.provide(privateTargets, requestPrivate);
	const tool = builtinTool("browser")?.bind(env);
	if (!tool) throw new Error("There is no tool browser.");
	const textOf = ({ content }: AgentToolResult): string =>
		content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
	const result = (args: Record<string, unknown>): Promise<AgentToolResult> => callTool(tool, args);
	const run = async (args: Record<string, unknown>): Promise<string> => {
		const outcome = await result(args);
		if (outcome.isError) throw new Error(textOf(outcome));
		return textOf(outcome);
	};
	return {
		env,
		result,
		run,
		async fail(args) {
			const outcome = await result(args);
			if (!outcome.isError) throw new Error(`It worked: ${textOf(outcome)}`);
			return textOf(outcome);
		},
		async ref(name) {
			const text = await run({ action: "look", full: true });
			const line = text.split("\n").find((each) => new RegExp(`^\\d+ (?:\\w+ )?${name}`).test(each));
			if (line === undefined) throw new Error(`There is no ${name} in:\n${text}`);
			return Number.parseInt(line, 10);
		},
		[Symbol.asyncDispose]: () => env[Symbol.asyncDispose](),
	};
}
