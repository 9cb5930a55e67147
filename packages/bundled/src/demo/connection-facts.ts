/** Explains how to connect a real model, from what was found on this machine. */
import { fill } from "@tau/utils";

import { limits } from "./limits.ts";
import { code, list, plural } from "./markdown.ts";
import connectText from "./texts/connect.md" with { type: "text" };
import unknownText from "./texts/connect-unknown.md" with { type: "text" };

/** What the application found; collected only on request. */
export interface ConnectionFacts {
	keys: { provider: string; variable: string; found: boolean }[];
	servers: { name: string; url: string; found: boolean; models?: number }[];
	modelsFile: string;
}

/** Without facts (looking failed or took too long) it says what holds on every machine. */
export function connectionText(facts: ConnectionFacts | undefined): string {
	if (!facts) return fill(unknownText);
	const matches = [...facts.keys.filter((key) => key.found).map(foundKey), ...facts.servers.map(serverLine)];
	const missing = facts.keys
		.filter((key) => !key.found)
		.map((key) => `${code(key.variable)} (${key.provider})`);
	const more = missing.length > limits.listedKeys ? " or any other provider's variable" : "";
	const missed =
		missing.length > 0 ? [`no key in ${missing.slice(0, limits.listedKeys).join(", ")}${more}`] : [];
	return fill(connectText, {
		facts: list([...matches, ...missed]) || "- no search was made",
		modelsFile: code(facts.modelsFile),
	});
}

function foundKey(key: ConnectionFacts["keys"][number]): string {
	return `a key in ${code(key.variable)}: start with ${code(`--model ${key.provider}/MODEL`)}`;
}

function serverLine(server: ConnectionFacts["servers"][number]): string {
	const models = server.models === undefined ? "" : ` with ${plural(server.models, "model")}`;
	return `${server.name} at ${server.url}: ${server.found ? `answers${models}` : "does not answer"}`;
}
