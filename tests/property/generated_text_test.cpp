// Random files through everything that reads a file: wild ones are answered or refused in good form, right
// ones have the values that a second computation gives.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "driver/commands.h"
#include "driver/session.h"
#include "tests/fuzz/sound_maker.h"
#include "tests/fuzz/text_maker.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::vector<uint8_t> randomBytes(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(20 + random() % 400);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

}  // namespace

TEST_CASE("wild files are answered or refused, in good form", "[property]") {
  for (uint32_t seed = 0; seed < 1'500; ++seed) {
    const std::string text = makeText(randomBytes(seed));
    const std::string wrong = examine(text);
    INFO("seed " << seed << "\n" << text);
    REQUIRE(wrong == "");
  }
}

TEST_CASE("right files have no faults, and the values of a second computation", "[property]") {
  for (uint32_t seed = 0; seed < 1'000; ++seed) {
    const SoundFile file = makeSound(randomBytes(seed));
    INFO("seed " << seed << "\n" << file.text);
    REQUIRE(examine(file.text) == "");
    Session session;
    check::Module* module = session.openText("sound.sysdl", file.text);
    for (const Diagnostic& d : session.diagnostics.sorted(session.sources))
      FAIL(nameOf(d.code) << " " << d.message);
    for (const Wanted& wanted : file.wanted) {
      check::Value record = module->values.at(session.names.intern(wanted.record).id).value;
      auto value = session.checker->real(session.checker->get(record.record, wanted.field), {});
      INFO(wanted.record << "." << wanted.field);
      REQUIRE(value);
      REQUIRE(*value == Approx(wanted.value).epsilon(1e-12));
    }
  }
}

TEST_CASE("designs whose numbers fit together are evaluated", "[property]") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = makeSoundDesign(randomBytes(seed));
    INFO("seed " << seed << "\n" << text);
    REQUIRE(examine(text) == "");
    Session session;
    check::Module* module = session.openText("sound.sysdl", text);
    auto designs = session.designs(*module);
    REQUIRE(designs.size() == 1);
    const EvaluatedDesign& design =
        session.evaluateDesign(designs.front().first, designs.front().second);
    CHECK_FALSE(session.diagnostics.hasErrors());
    REQUIRE(design.results);
    CHECK(design.results->time.step > 0);
  }
}
