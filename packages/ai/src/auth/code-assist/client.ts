/** What Code Assist wants to know of the program that asks: it serves the Gemini CLI, by whose login we come. */
import { env as read, type Env } from "@tau/utils";

/** The release whose requests ours are like, unless `TAU_AI_GEMINI_CLI_VERSION` names another. */
const release = "0.35.3";

/** In the bodies of the calls that set an account up, and in a header of all. */
export const clientMetadata = {
	ideType: "IDE_UNSPECIFIED",
	platform: "PLATFORM_UNSPECIFIED",
	pluginType: "GEMINI",
} as const;

export function clientHeaders(env: Env, model?: string): Record<string, string> {
	const given = read("TAU_AI_GEMINI_CLI_VERSION", env) ?? "";
	// What is no version would make a header that cannot be sent.
	const version = /^[\w.+-]+$/.test(given) ? given : release;
	const asked = model === undefined ? "" : `/${encodeURIComponent(model)}`;
	return {
		"user-agent": `GeminiCLI/${version}${asked} (${process.platform}; ${process.arch})`,
		"x-goog-api-client": "gl-node/22.17.0",
		"client-metadata": JSON.stringify(clientMetadata),
	};
}
