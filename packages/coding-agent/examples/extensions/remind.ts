/** Sends messages to the model: /remind with the next prompt, /nudge at once. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function remind(pi: ExtensionAPI) {
	const message = (content: string) => ({ customType: "reminder", content, display: true });
	pi.registerCommand("remind", {
		description: "Remind the model of something with the next prompt",
		handler: (args) => pi.sendMessage(message(`Remember: ${args}`), { deliverAs: "nextTurn" }),
	});
	pi.registerCommand("nudge", {
		description: "Remind the model of something at once",
		handler: (args) =>
			pi.sendMessage(message(`Remember: ${args}`), { deliverAs: "steer", triggerTurn: true }),
	});
	pi.registerMessageRenderer("reminder", () => undefined);
}
