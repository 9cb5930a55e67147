/** `/model` always says something. */
import { expect, test } from "bun:test";

import { testModel } from "@tau/ai/testing";

import type { CommandTarget } from "../command.ts";
import { model } from "./models.ts";

function targetWith(models: readonly ReturnType<typeof testModel>[]): CommandTarget {
	const host = { models: { available: () => models }, state: { model: testModel({}) } };
	return { host } as unknown as CommandTarget;
}

test("without a model that can be used, it says how to connect one", async () => {
	expect(await model.run("", targetWith([]))).toMatchObject({
		text: "No model is connected. Connect one with tau login.",
		data: { models: [] },
	});
});

test("the list marks the model that answers now", async () => {
	const { text } = await model.run("", targetWith([testModel({}), testModel({ id: "other" })]));
	expect(text).toMatch(/^\* played\/played-1 .*\n {2}played\/other/);
});
