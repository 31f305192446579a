// What LSTM and GRU share: the shapes of their operands and results, and the walk over directions, sequences
// and steps.
//
// Operands x, w, r, b, sequence_lens, initial_h come first in both; everything is computed in double, the
// states too, and rounded once when stored.
#pragma once

#include <functional>
#include <vector>

#include "graph/inference.h"
#include "graph/ops.h"

namespace fuselane {

enum class SequenceDirection : uint8_t { Forward, Reverse, Bidirectional };

struct RecurrentAttributes {
  SequenceDirection direction = SequenceDirection::Forward;
  int64_t hidden = 1;
  double clip = 0;           // bounds the activations' arguments; 0: does not
  bool batch_first = false;  // layout 1

  int64_t directions() const { return direction == SequenceDirection::Bidirectional ? 2 : 1; }
};

// Errors: a direction or layout that is none, a hidden size below 1, a negative clip.
Result<RecurrentAttributes> recurrent_attributes(const Node& node);

// Checks operands 0 to 5 for a cell of so many gates, and sets all results: y, y_h and, where there is one,
// y_c.
Status shape_of_recurrent(Inference& i, int64_t gates);
// Refuses operand `i` where a known extent is not the one expected.
Status require_extents(const Inference& i, size_t operand, const DimVector& expected);
// [directions, batch, hidden], or batch first.
DimVector state_extents(const Inference& i, const RecurrentAttributes& attributes);

// The operands of one call, widened.
class Recurrence {
 public:
  static Result<Recurrence> of(const ReferenceCall& call, int64_t gates);

  // The two halves of gate `gate`, unit `unit`, each with its bias: w x[t] + wb and r h + rb.
  double from_input(int64_t direction, int64_t gate, int64_t unit, const double* x) const;
  double from_state(int64_t direction, int64_t gate, int64_t unit, std::span<const double> state) const;
  double clipped(double value) const;
  int64_t hidden() const { return attributes_.hidden; }

  // Updates the states (h, and c for LSTM) by one step with input vector x.
  using Step =
      std::function<void(int64_t direction, const double* x, std::span<double> h, std::span<double> c)>;
  // Runs every sequence from its initial states, in time or against it, and stores y, y_h and y_c. Beyond a
  // sequence's length y is 0. Error: invalid-data for a length that is negative or longer than x.
  Status run(const ReferenceCall& call, const Step& step) const;

 private:
  Status run_sequence(const ReferenceCall& call, const Step& step, int64_t direction, int64_t n) const;
  int64_t state_at(int64_t direction, int64_t n) const;
  std::vector<double> initial(const ReferenceCall& call, size_t operand, int64_t direction, int64_t n) const;

  RecurrentAttributes attributes_;
  int64_t gates_ = 0;
  int64_t steps_ = 0;
  int64_t batch_ = 0;
  int64_t inputs_ = 0;
  std::vector<double> x_, w_, r_, b_;  // b_ is empty when absent
};

}  // namespace fuselane
