/** A tool that is off until it is needed: /dice lets the model roll dice. Its parameters are a Zod schema. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function dice(pi: ExtensionAPI) {
	const { z } = pi.zod;
	pi.registerTool({
		name: "dice",
		description: "Rolls dice and returns the result.",
		parameters: z.object({ sides: z.number().int().min(2).max(100).describe("of the dice") }),
		approval: "read",
		defaultActive: false,
		async execute(_toolCallId, { sides }) {
			return { content: [{ type: "text", text: `It shows ${1 + Math.floor(Math.random() * sides)}.` }] };
		},
		onSession: ({ reason }) => pi.logger.info("dice in a session", { reason }),
	});
	pi.registerCommand("dice", {
		description: "Let the model roll dice",
		handler: () => void pi.setActiveTools([...pi.getActiveTools(), "dice"]),
	});
}
