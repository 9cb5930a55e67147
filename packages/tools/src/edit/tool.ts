/** Edits files in the form that suits the model: by line numbers, by replacing text, or by a patch. */
import type { AgentTool, Validated } from "@tau/agent";
import type { z } from "zod";

import { amendsOf, defineTool, type BuiltinTool, type ToolFacts } from "../tool/define-tool.ts";
import { editMode, type EditMode } from "../files/edit-mode.ts";
import type { ToolEnv } from "../tool/env.ts";
import { claudeEdit } from "./claude.ts";
import { applyPatch } from "./apply-patch/form.ts";
import type { EditForm } from "./form.ts";
import { hashline } from "./hashline/form.ts";
import { replace } from "./replace/form.ts";
import { previewEdit, runEdit } from "./run-edit.ts";

const facts: ToolFacts = {
	name: "edit",
	approval: "write",
	source: { text: ["newText", "text"], patch: ["input"] },
	claude: claudeEdit,
};

const forms: Readonly<Record<EditMode, BuiltinTool>> = {
	hashline: toolOf(hashline),
	replace: toolOf(replace),
	apply_patch: toolOf(applyPatch),
};

export const edit: BuiltinTool = {
	...facts,
	touches: (args, context) => forms[modeOf(args)].touches(args, context),
	describeCall: (args) => forms["input" in args ? "apply_patch" : "replace"].describeCall(args),
	bind(env) {
		const bound = {
			hashline: forms.hashline.bind(env),
			replace: forms.replace.bind(env),
			apply_patch: forms.apply_patch.bind(env),
		};
		// After a change of model, the next request has the form for the new model.
		const current = () => bound[editMode(env)];
		return {
			name: facts.name,
			label: "Edit file",
			concurrency: "exclusive",
			approval: facts.approval,
			...amendsOf(facts),
			touches: (args) => forms[modeOf(args)].touches(args, env),
			get description() {
				return current().description;
			},
			get parameters() {
				return current().parameters;
			},
			validate: (input) => validate(bound, editMode(env), input),
			preview: async (params, ...rest) => bound[modeOf(params)].preview?.(params, ...rest),
			execute: (toolCallId, params, ...rest) => bound[modeOf(params)].execute(toolCallId, params, ...rest),
		};
	},
};

function toolOf<P extends z.ZodObject>(form: EditForm<P>): BuiltinTool {
	return defineTool({
		...facts,
		label: "Edit file",
		prompt: form.prompt,
		concurrency: "exclusive",
		parameters: form.parameters,
		schema: form.schema,
		touches: (params, context) => form.touches(params, context),
		preview: async (params, context) => previewEdit(await form.plan(params, context)),
		execute: (params, context) =>
			runEdit(() => form.plan(params, context), context, { showRows: showsRows(context) }),
		view: { call: (params) => `edit ${form.subject(params) ?? "…"}` },
	});
}

function showsRows(env: ToolEnv): boolean {
	return editMode(env) === "hashline";
}

/** A call in another mode is accepted too: it started before a change of model, or the model is used to that mode. */
function validate(
	bound: Readonly<Record<EditMode, AgentTool>>,
	mode: EditMode,
	input: Readonly<Record<string, unknown>>,
): Validated {
	const judged = bound[mode].validate(input);
	if (judged.ok) return judged;
	const other = modeOf(input);
	const again = other === mode ? judged : bound[other].validate(input);
	return again.ok ? again : judged;
}

/** The forms differ in their required fields. */
function modeOf(params: Readonly<Record<string, unknown>>): EditMode {
	if ("input" in params) return "apply_patch";
	return "tag" in params ? "hashline" : "replace";
}
