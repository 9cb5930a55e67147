/** What imports of TypeBox, by both of its names, are answered with. */
import * as typebox from "@tau/extensions/typebox";

type Exports = Readonly<Record<string, unknown>>;

const { Type, StringEnum, values, Compile } = typebox;

export const schemaModules: Readonly<Record<string, () => Promise<Exports>>> = Object.fromEntries(
	["typebox", "@sinclair/typebox"].flatMap((name) => [
		[name, async () => ({ Type, StringEnum, ...Type, default: Type })],
		[`${name}/type`, async () => ({ Type, ...Type, default: Type })],
		[`${name}/value`, async () => ({ Value: values, ...values, default: values })],
		[`${name}/compile`, async () => ({ Compile, default: Compile })],
		[`${name}/compiler`, async () => ({ TypeCompiler: { Compile }, default: { Compile } })],
	]),
);
