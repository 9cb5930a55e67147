/** The client information that Code Assist expects: it serves the Gemini CLI, whose login we use. */
import { env as read, type Env } from "@tau/utils/portable";

/** The release that our requests imitate, unless `TAU_AI_GEMINI_CLI_VERSION` names another. */
const release = "0.35.3";

/** Sent in the bodies of the calls that set an account up, and in a header of all calls. */
export const clientMetadata = {
	ideType: "IDE_UNSPECIFIED",
	platform: "PLATFORM_UNSPECIFIED",
	pluginType: "GEMINI",
} as const;

export function clientHeaders(env: Env, model?: string): Record<string, string> {
	const override = read("TAU_AI_GEMINI_CLI_VERSION", env) ?? "";
	// An invalid version would give a header that cannot be sent.
	const version = /^[\w.+-]+$/.test(override) ? override : release;
	const modelPart = model === undefined ? "" : `/${encodeURIComponent(model)}`;
	return {
		"user-agent": `GeminiCLI/${version}${modelPart} (${process.platform}; ${process.arch})`,
		"x-goog-api-client": "gl-node/22.17.0",
		"client-metadata": JSON.stringify(clientMetadata),
	};
}
