/** Adds to the system prompt, and tells the model the current branch once per prompt. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function houseRules(pi: ExtensionAPI) {
	pi.on("before_agent_start", async ({ systemPrompt }, ctx) => {
		const { stdout, code } = await pi.exec("git", ["branch", "--show-current"], {
			cwd: ctx.cwd,
			timeout: 2000,
		});
		const branch = code === 0 ? stdout.trim() : "";
		return {
			systemPrompt: `${systemPrompt}\n\nNever push to main.`,
			...(branch === ""
				? {}
				: { message: { customType: "branch", content: `The branch is ${branch}.`, display: false } }),
		};
	});
}
