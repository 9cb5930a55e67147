/** A model edits files in the mode that its data names, unless the user sets another. */
import { expect, test } from "bun:test";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { testModel } from "../../../../test/support/session.ts";
import { edit } from "../edit/tool.ts";
import { editMode } from "./edit-mode.ts";

async function modeOf(
	form: "apply_patch" | undefined,
	more: { setting?: "replace" | "hashline"; env?: Record<string, string> } = {},
): Promise<{ mode: string; properties: string[] }> {
	await using base = await testToolEnv({ env: more.env ?? {} });
	const model = testModel(form ? { compat: { editForm: form } } : {});
	const env = { ...base, session: { ...base.session, model } };
	if (more.setting) await base.settings.set("edit.mode", more.setting, "session");
	const { properties = {} } = edit.bind(env).parameters as { properties?: object };
	return { mode: editMode(env), properties: Object.keys(properties) };
}

test("the default is the mode in the model's data, else replace", async () => {
	expect(await modeOf("apply_patch")).toEqual({ mode: "apply_patch", properties: ["input"] });
	expect(await modeOf(undefined)).toMatchObject({ mode: "replace" });
});

test("the setting overrides the data, and the variable overrides both", async () => {
	expect((await modeOf("apply_patch", { setting: "hashline" })).mode).toBe("hashline");
	const env = { TAU_EDIT_VARIANT: "replace" };
	expect((await modeOf("apply_patch", { setting: "hashline", env })).mode).toBe("replace");
});
