/** The tasks of a worker that checks values: Ajv compiles each schema to a function. */
import { Ajv, MissingRefError, type AnySchemaObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import addFormats from "ajv-formats";

import { limits } from "./limits.ts";
import { describeErrors } from "./problems.ts";

export const tasks = {
	/** Why the schema cannot be used. */
	schema(schema: string): string | undefined {
		try {
			const validate = compiled(schema);
			// References that lead back to themselves are noticed when something is checked.
			for (const probe of [null, "", 0, [], {}]) validate(probe);
			return undefined;
		} catch (error) {
			return reasonOf(error);
		}
	},
	/** What is wrong with the value. */
	value(schema: string, value: string, name: string): string[] {
		try {
			const validate = compiled(schema);
			const data: unknown = JSON.parse(value);
			return validate(data) ? [] : describeErrors(validate.errors ?? [], data, name);
		} catch (error) {
			return [`${name} cannot be checked: ${reasonOf(error)}`];
		}
	},
};

const kept = new Map<string, ValidateFunction>();

function compiled(text: string): ValidateFunction {
	const known = kept.get(text);
	if (known) return known;
	const schema = JSON.parse(text) as AnySchemaObject;
	// With this keyword of its own Ajv returns a promise, whatever the value is.
	delete schema.$async;
	const engine = engineFor(schema.$schema);
	if (engine.validateSchema(schema) === false)
		throw new Error(describeErrors(engine.errors ?? [], schema, "the schema").join("; "));
	const validate = engine.compile(schema);
	const [oldest] = kept.keys();
	if (kept.size >= limits.compiled && oldest !== undefined) kept.delete(oldest);
	kept.set(text, validate);
	return validate;
}

/** By what `$schema` says; those of draft 6 and 7 differ in what arrays under `items` mean. */
const dialects: readonly [name: RegExp, engine: (options: Options) => Ajv][] = [
	[/\/draft\/2020-12\/schema#?$/, (options) => new Ajv2020(options)],
	[/\/draft\/2019-09\/schema#?$/, (options) => new Ajv2019(options)],
	[/\/draft-07\/schema#?$/, (options) => new Ajv(options)],
	[/\/draft-06\/schema#?$/, (options) => new Ajv(options).addMetaSchema(draft06)],
];

const options: Options = {
	// Unknown keywords and formats are ignored, as the standard says.
	strict: false,
	logger: false,
	allErrors: true,
	// A key such as `constructor`, which every object inherits, is only there if the value has it.
	ownProperties: true,
	// 19.99 is a multiple of 0.01, which a division of floating-point numbers does not find.
	multipleOfPrecision: 6,
	// Copied into each other, references that double at each level would fill the memory.
	inlineRefs: false,
};

/** One for each schema, so that the ids of one are unknown to the others. Nothing is ever loaded from elsewhere. */
function engineFor(dialect: unknown): Ajv {
	const name = dialect ?? "https://json-schema.org/draft/2020-12/schema";
	const [, create] = dialects.find(([known]) => typeof name === "string" && known.test(name)) ?? [];
	if (!create)
		throw new Error(`$schema ${JSON.stringify(name)} is not known. Leave it out to use JSON Schema 2020-12.`);
	const engine = create(options);
	addFormats.default(engine);
	// An unknown keyword since draft 6, to which Ajv objects.
	engine.removeKeyword("id");
	return engine;
}

function reasonOf(error: unknown): string {
	// The only bound of a checker that calls itself.
	if (error instanceof RangeError) return "it is nested too deeply, or a $ref leads back to itself";
	if (error instanceof MissingRefError) {
		const { missingRef } = error;
		return missingRef.startsWith("#")
			? `$ref "${missingRef}" leads nowhere`
			: `only references within the schema (#/…) are supported, not ${missingRef}`;
	}
	return error instanceof Error ? error.message : String(error);
}
