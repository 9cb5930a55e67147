/** Presets: /preset look or /preset work sets tools, thinking level and instructions at once; /preset lists them. */
import type { ExtensionAPI, ThinkingLevel } from "@tau/coding-agent";

interface Preset {
	tools: string[];
	level: ThinkingLevel;
	instructions: string;
}

const presets: Record<string, Preset> = {
	look: {
		tools: ["read", "grep", "find", "ls"],
		level: "low",
		instructions: "Explain what you find. Change nothing.",
	},
	work: {
		tools: ["read", "bash", "edit", "write"],
		level: "high",
		instructions: "Make the change, then run the tests.",
	},
};

export default function presetsExtension(pi: ExtensionAPI) {
	let current: Preset | undefined;
	pi.registerCommand("preset", {
		description: "Use a preset of tools, level and instructions",
		getArgumentCompletions: () => Object.keys(presets).map((name) => ({ value: name, label: name })),
		handler(args, { ui }) {
			const preset = presets[args];
			if (!preset) return ui.notify(`Presets: ${Object.keys(presets).join(", ")}.`);
			current = preset;
			pi.setActiveTools(preset.tools);
			pi.setThinkingLevel(preset.level);
			ui.setStatus("preset", `preset ${args}`);
			return undefined;
		},
	});
	pi.on("before_agent_start", ({ systemPrompt }) =>
		current ? { systemPrompt: `${systemPrompt}\n\n${current.instructions}` } : undefined,
	);
}
