/** Gives the model a tool to ask the user: a choice, a line, a text, or yes and no. */
import { StringEnum, Type, type ExtensionAPI } from "@tau/coding-agent";

export default function askUser(pi: ExtensionAPI) {
	pi.registerTool({
		name: "ask_user",
		label: "Ask the user",
		description: "Asks the user, and returns the answer.",
		approval: "read",
		executionMode: "sequential",
		parameters: Type.Object({
			question: Type.String(),
			kind: StringEnum(["choice", "word", "text", "yes or no"]),
			choices: Type.Optional(Type.Array(Type.String())),
		}),
		async execute(_toolCallId, { question, kind, choices = [] }, signal, _onUpdate, { ui, hasUI }) {
			if (!hasUI) throw new Error("Nobody is there to answer: decide for yourself.");
			const how = signal ? { signal, timeout: 60_000 } : { timeout: 60_000 };
			const answers = {
				choice: () => ui.select(question, choices, how),
				word: () => ui.input(question, "a word or two", how),
				text: () => ui.editor(question, "", how),
				"yes or no": async () => ((await ui.confirm("The model asks", question, how)) ? "yes" : "no"),
			};
			const answer = await answers[kind]();
			return {
				content: [{ type: "text", text: answer ?? "The user did not answer." }],
				details: { answer },
			};
		},
	});
}
