/** Explains when an answer is retried, a call waits for approval, a key is rejected, a rule interrupts, or tasks are left open. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function trouble(pi: ExtensionAPI) {
	pi.on("auto_retry_start", ({ attempt, maxAttempts, delayMs }, ctx) => {
		ctx.ui.setStatus("trouble", `try ${attempt} of ${maxAttempts} in ${Math.round(delayMs / 1000)} s`);
	});
	pi.on("auto_retry_end", ({ success, attempt }, ctx) => {
		ctx.ui.setStatus("trouble", undefined);
		if (!success) ctx.ui.notify(`Gave up after ${attempt} attempts.`, "error");
	});
	pi.on("tool_approval_requested", ({ toolName, reason = "" }, ctx) =>
		ctx.ui.setStatus("approval", `${toolName} waits for you: ${reason}`),
	);
	pi.on("tool_approval_resolved", ({ toolName, approved }, ctx) => {
		ctx.ui.setStatus("approval", undefined);
		if (!approved) ctx.ui.notify(`${toolName} was declined.`, "warning");
	});
	pi.on("retry_fallback_applied", ({ from, to }, ctx) =>
		ctx.ui.setStatus("trouble", `${to} instead of ${from}`),
	);
	pi.on("retry_fallback_succeeded", ({ model }, ctx) => ctx.ui.setStatus("trouble", `with ${model}`));
	pi.on("credential_disabled", ({ provider, disabledCause }, ctx) => {
		ctx.ui.notify(
			`${provider} does not take the key any more (${disabledCause}): /login ${provider}`,
			"error",
		);
	});
	pi.on("todo_reminder", ({ todos, attempt, maxAttempts }, ctx) => {
		ctx.ui.notify(`${todos.length} tasks are open: reminder ${attempt} of ${maxAttempts}.`);
	});
	pi.on("ttsr_triggered", ({ rules }, ctx) => {
		ctx.ui.notify(`Stopped by a rule: ${rules.map(({ name }) => name).join(", ")}`, "warning");
	});
}
