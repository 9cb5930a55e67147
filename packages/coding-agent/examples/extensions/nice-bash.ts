/** Runs the user's commands with low priority, and answers "!today" and "$today" without a shell or Python. */
import { createLocalBashOperations, type ExtensionAPI } from "@tau/coding-agent";

export default function niceBash(pi: ExtensionAPI) {
	const local = createLocalBashOperations();
	const today = () => ({
		output: new Date().toDateString(),
		exitCode: 0,
		cancelled: false,
		truncated: false,
	});
	pi.on("user_python", ({ code }) => (code === "today" ? { result: today() } : undefined));
	pi.on("user_bash", ({ command, excludeFromContext }, ctx) => {
		if (command === "today") return { result: today() };
		if (excludeFromContext) ctx.ui.notify("The model will not see this.");
		return {
			operations: {
				// If Tau itself has a lower priority, renice refuses to raise it.
				exec: (asked, cwd, options) => local.exec(`renice -n 5 $$ >/dev/null 2>&1\n${asked}`, cwd, options),
			},
		};
	});
}
