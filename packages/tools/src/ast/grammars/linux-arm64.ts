/** The grammars for linux-arm64, as files that the bundler embeds. */
import bash from "@ast-grep/lang-bash/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import c from "@ast-grep/lang-c/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import go from "@ast-grep/lang-go/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import java from "@ast-grep/lang-java/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import json from "@ast-grep/lang-json/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import python from "@ast-grep/lang-python/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import rust from "@ast-grep/lang-rust/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };
import yaml from "@ast-grep/lang-yaml/prebuilds/prebuild-Linux-ARM64/parser.so" with { type: "file" };

export default { bash, c, go, java, json, python, rust, yaml };
