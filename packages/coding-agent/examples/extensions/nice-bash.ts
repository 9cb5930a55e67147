/** Runs the user's commands with low priority, and answers "!today" without a shell. */
import { createLocalBashOperations, type ExtensionAPI } from "@tau/coding-agent";

export default function niceBash(pi: ExtensionAPI) {
	const local = createLocalBashOperations();
	pi.on("user_bash", ({ command, excludeFromContext }, ctx) => {
		if (command === "today") {
			const output = new Date().toDateString();
			return { result: { output, exitCode: 0, cancelled: false, truncated: false } };
		}
		if (excludeFromContext) ctx.ui.notify("The model will not see this.");
		return {
			operations: {
				exec: (asked, cwd, options) => local.exec(`renice -n 5 $$ >/dev/null\n${asked}`, cwd, options),
			},
		};
	});
}
